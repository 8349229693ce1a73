import { accept, reject, type Decision } from '#domain/decision.js';
import type { BucketEvent, BucketTerms } from './bucket.events.js';

/**
 * BucketConnected connects a bucket, or replaces the one that is connected. BucketDisconnected forgets it: nothing is
 * pushed from then on.
 */
export type Bucket = ConnectedBucket | undefined;

export interface ConnectedBucket extends Readonly<BucketTerms> {
  readonly sealedSecret: string;
  /** Jobs that ended before are not pushed. */
  readonly connectedAt: string;
  readonly changedAt: string;
}

export const initialBucket: Bucket = undefined;

export type BucketRejection = { readonly code: 'NO_BUCKET' };

export function evolveBucket(bucket: Bucket, event: BucketEvent): Bucket {
  switch (event.type) {
    case 'BucketConnected': {
      const { at, ...terms } = event.data;
      return { ...terms, connectedAt: bucket?.connectedAt ?? at, changedAt: at };
    }
    case 'BucketDisconnected':
      return undefined;
    default:
      return event satisfies never;
  }
}

/** The same settings again are an event, too: what has failed is then pushed again. */
export function connectBucket(
  data: BucketTerms & { sealedSecret: string; at: string },
): Decision<BucketEvent> {
  return accept({ type: 'BucketConnected', data });
}

export function disconnectBucket(at: string, bucket: Bucket): Decision<BucketEvent, BucketRejection> {
  return bucket ? accept({ type: 'BucketDisconnected', data: { at } }) : reject({ code: 'NO_BUCKET' });
}
