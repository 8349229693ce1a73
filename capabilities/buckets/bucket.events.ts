import type { EventFamily } from '#domain/event-family.js';

/** Where the pictures of a tenant are pushed, and how the bucket is reached. */
export interface BucketTerms {
  /** The origin of a server with the S3 API: `https://s3.eu-central-1.amazonaws.com`. */
  endpoint: string;
  region: string;
  bucket: string;
  /** Before each key; empty, or with a slash at its end. */
  prefix: string;
  /** Whether the bucket is in the path. Otherwise it is in the host name. */
  forcePathStyle: boolean;
  accessKeyId: string;
}

/** The events of `{env}.bucket-{tenant}`, as they are stored. */
export type BucketEvent =
  | {
      type: 'BucketConnected';
      /** The secret key is encrypted under a key that only the service's processes have (`bucket-secret.ts`). */
      data: BucketTerms & { sealedSecret: string; at: string };
    }
  | { type: 'BucketDisconnected'; data: { at: string } };

export const bucketFamily: EventFamily<'bucket', BucketEvent> = {
  category: 'bucket',
  owner: 'named-tenant',
  idFields: {},
  upcasters: { BucketConnected: [], BucketDisconnected: [] },
  personal: {
    // What opens the bucket ends with the tenant, too.
    BucketConnected: {
      endpoint: false,
      region: false,
      bucket: false,
      prefix: true,
      accessKeyId: true,
      sealedSecret: true,
    },
    BucketDisconnected: {},
  },
};
