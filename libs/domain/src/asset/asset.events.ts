import type { EventFamily } from '../event-family.js';

/** The events of `{env}.asset-{asset}`, as they are stored: what the picture is, never its bytes. */
export type AssetEvent =
  | {
      type: 'AssetStored';
      data: {
        assetId: string;
        tenant: string;
        /** The object's key in storage, which is also the caller's `upload_key`. */
        storageKey: string;
        contentType: string;
        width: number;
        height: number;
        sizeBytes: number;
        sha256: string;
        origin: 'upload' | 'render';
        /** The job that made it, where a job did. */
        jobId: string | null;
        at: string;
      };
    }
  /** As an entry of the catalogue: it is not listed any more, and refused in new dispatches. What was made with it stays. */
  | { type: 'CatalogEntryRetired'; data: { assetId: string; tenant: string; reason: string; at: string } };

export const assetFamily: EventFamily<'asset', AssetEvent> = {
  category: 'asset',
  owner: 'tenant',
  idFields: { AssetStored: 'assetId', CatalogEntryRetired: 'assetId' },
  upcasters: {
    AssetStored: [],
    CatalogEntryRetired: [],
  },
};
