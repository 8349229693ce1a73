import type { AboutPersons } from '../data-subject.js';
import type { EventFamily } from '../event-family.js';
import type { KeptFor } from '../kept-for.js';

/**
 * The Content Credentials (C2PA) that an upload arrived with. The stored picture is decoded and encoded again, so its
 * bytes have none.
 */
export interface ArrivedCredentials {
  /** C2PA's codes for what did not hold; empty: the upload was what was signed. They do not judge who signed. */
  problems: string[];
  /** The manifest store as it was, beside the picture. Null: it was too large. */
  kept: { storageKey: string; sha256: string; sizeBytes: number } | null;
}

/** The stored events of `{env}.asset-{asset}`: the picture's properties, never its bytes. */
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
        /** Of a picture of a job. Absent in older events. */
        role?: 'intermediate' | 'final';
        /** Perceptual hash of a job's final picture, in hex. Absent: it has none, or it was stored before 0.3.0. */
        likeness?: string;
        /** Absent: it had none, or it was stored before they were kept. */
        credentials?: ArrivedCredentials;
        at: string;
        /** The persons whom an upload shows. A picture of a job is about the persons of its job. */
      } & AboutPersons &
        KeptFor;
    }
  /**
   * Retires the asset as a catalogue entry: it is no longer listed, and new dispatches refuse it. Results made
   * with it stay.
   */
  | { type: 'CatalogEntryRetired'; data: { assetId: string; tenant: string; reason: string; at: string } }
  /** The picture may not be shown or used again. Its bytes are removed after this event. */
  | { type: 'PictureErased'; data: { assetId: string; tenant: string; erasureId: string; at: string } };

export const assetFamily: EventFamily<'asset', AssetEvent> = {
  category: 'asset',
  owner: 'tenant',
  ownKeys: true,
  idFields: { AssetStored: 'assetId', CatalogEntryRetired: 'assetId', PictureErased: 'assetId' },
  upcasters: {
    AssetStored: [],
    CatalogEntryRetired: [],
    PictureErased: [],
  },
  personal: {
    AssetStored: {
      assetId: false,
      tenant: false,
      storageKey: false,
      contentType: false,
      sha256: true,
      likeness: true,
      jobId: false,
      dataSubjects: true,
      credentials: { problems: false, kept: { storageKey: false, sha256: true } },
    },
    CatalogEntryRetired: { assetId: false, tenant: false, reason: true },
    PictureErased: { assetId: false, tenant: false, erasureId: false },
  },
};
