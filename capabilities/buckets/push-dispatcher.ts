import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { PlacedEvent } from '#application/process-managers/delivered-event.js';
import type { ProcessManager } from '#application/process-managers/process-manager.js';
import type { Environment } from '#domain/streams.js';
import { EventStore } from '#event-store/event-store.js';
import { entriesUpTo } from '#platform/cache-size.js';
import { Clock } from '#platform/clock.js';
import type { QueueTransaction } from '#render-queue/render-queue.js';
import type { Bucket } from './bucket.js';
import { bucketOf } from './manage-buckets.js';
import { PushQueue } from './push-queue.js';
import { hasPictures, isErasedByPerson, isSince } from './pushed-job.js';
import { Pushes, pushRetentionDays } from './pushes.js';

/** Events older than this are left alone: by then it may be forgotten that they were pushed before. */
const oldestMs = (pushRetentionDays - 1) * 24 * 60 * 60_000;

/**
 * Finds the jobs whose pictures have to be pushed, and those whose copies have to be deleted. It reads the buckets' own
 * events in the same order. A tenant without a bucket costs one look in memory. The pushes are written in the transaction
 * that moves the checkpoint.
 */
@Injectable()
export class PushDispatcher implements ProcessManager {
  private readonly known: Record<Environment, LRUCache<string, { readonly bucket: Bucket }>>;

  constructor(
    private readonly store: EventStore,
    private readonly pushes: Pushes,
    private readonly queue: PushQueue,
    @Inject(Clock) private readonly clock: Clock,
  ) {
    this.known = { live: new LRUCache(entriesUpTo(10_000)), test: new LRUCache(entriesUpTo(10_000)) };
  }

  begin(environment: Environment): void {
    this.known[environment].clear();
  }

  /** @throws what the store throws; the events may then be handled again */
  async handle(environment: Environment, events: readonly PlacedEvent[]) {
    const jobs = new Map<string, string>();
    const changed = new Set<string>();
    const disconnected = new Set<string>();
    for (const event of events) {
      const { tenant } = event.metadata;
      if (event.type === 'BucketConnected' || event.type === 'BucketDisconnected') {
        this.known[environment].delete(tenant);
        (event.type === 'BucketConnected' ? changed : disconnected).add(tenant);
      } else if (await this.isForBucket(environment, event)) jobs.set(event.streamId, tenant);
    }
    if (jobs.size + changed.size + disconnected.size === 0) return;
    return async (tx: QueueTransaction) => {
      for (const tenant of disconnected) await this.pushes.forgetTenant(environment, tenant, tx);
      const tasks = [];
      for (const tenant of changed) tasks.push(...(await this.pushes.reopen(environment, tenant, tx)));
      const added = [...jobs].map(([jobId, tenant]) => ({ jobId, tenant }));
      tasks.push(...(await this.pushes.add(environment, added, tx)));
      await this.queue.enqueue(tasks, tx);
    };
  }

  private async isForBucket(environment: Environment, event: PlacedEvent): Promise<boolean> {
    const { streamId, metadata } = event;
    const { tenant, recordedAt } = metadata;
    if (Date.parse(recordedAt) < this.clock().getTime() - oldestMs) return false;
    const bucket = await this.bucketOf(environment, tenant);
    if (!bucket) return false;
    if (event.type === 'JobErased') return isErasedByPerson(metadata);
    if (event.type !== 'JobSucceeded' || !isSince(bucket, recordedAt)) return false;
    return hasPictures({ environment, tenant, jobId: streamId }, event.data);
  }

  private async bucketOf(environment: Environment, tenant: string): Promise<Bucket> {
    const cached = this.known[environment].get(tenant);
    if (cached) return cached.bucket;
    const bucket = await bucketOf(this.store, environment, tenant);
    this.known[environment].set(tenant, { bucket });
    return bucket;
  }
}
