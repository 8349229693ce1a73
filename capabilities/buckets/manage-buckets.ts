import { load } from '#application/aggregate.js';
import { StreamCommand } from '#application/stream-command.handler.js';
import { streamName, type Environment } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import type { BucketEvent, BucketTerms } from './bucket.events.js';
import {
  connectBucket,
  disconnectBucket,
  evolveBucket,
  initialBucket,
  type Bucket,
  type BucketRejection,
} from './bucket.js';

export const bucketAggregate = { initial: initialBucket, evolve: evolveBucket };

abstract class BucketWrite<Data> extends StreamCommand<Data, Bucket, BucketEvent, BucketRejection> {
  readonly aggregate = bucketAggregate;

  get stream(): string {
    return streamName(this.context.environment, 'bucket', this.id);
  }
}

/** Connects a bucket of the tenant, which is the command's id. Its address was checked. */
export class ConnectBucket extends BucketWrite<BucketTerms & { readonly sealedSecret: string }> {
  decide(_bucket: Bucket, at: string) {
    return connectBucket({ ...this.data, at });
  }
}

export class DisconnectBucket extends BucketWrite<undefined> {
  decide(bucket: Bucket, at: string) {
    return disconnectBucket(at, bucket);
  }
}

/** Read from its own stream: a caller sees its own change at once, and what others wrote into a table has no effect. */
export async function bucketOf(store: EventStore, environment: Environment, tenant: string): Promise<Bucket> {
  return (await load(store, streamName(environment, 'bucket', tenant), bucketAggregate)).state;
}
