import { replayed } from '#operator-calls/replayed-fold.js';
import { evolveBucket, initialBucket } from './bucket.js';

export const bucketFold = () =>
  replayed(initialBucket, evolveBucket, (bucket) => ({ bucket: bucket?.bucket ?? null }));
