import { Injectable, Optional } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { evolveAsset, initialAsset, type Asset, type StoredAsset } from '#domain/asset/asset.js';
import type { JobArtifact, JobEvent, JobInputImage } from '#domain/job/job.events.js';
import { decode } from '#domain/stored-events.js';
import { streamName } from '#domain/streams.js';
import { EventStore } from '#event-store/event-store.js';
import { load, readForwards } from '../aggregate.js';
import type { Caller } from '../command-context.js';

export type Owner = Pick<Caller, 'environment' | 'tenant'>;

/** A job as far as its pictures go. */
export interface JobPictures {
  readonly workflow: string;
  readonly inputs: readonly JobInputImage[];
  /** What it ended with; empty unless it succeeded. */
  readonly results: readonly JobArtifact[];
  /** Everything that it made, on the way and at the end. */
  readonly artifacts: readonly JobArtifact[];
}

/**
 * Pictures and the jobs that made them, read from their own streams: one can be used the moment its upload or its
 * job was answered. Another owner's is looked for just as long as one that never was: what is remembered is
 * remembered for its owner only, so that no answer comes sooner because a foreign thing exists.
 */
@Injectable()
export class StoredPictures {
  /** Assets never change once stored, and neither do jobs that are over. */
  private readonly assets: LRUCache<string, StoredAsset>;
  private readonly jobs: LRUCache<string, JobPictures>;

  constructor(
    private readonly store: EventStore,
    @Optional() { assets = 20_000, jobs = 2_000 }: { readonly assets?: number; readonly jobs?: number } = {},
  ) {
    this.assets = new LRUCache({ max: assets });
    this.jobs = new LRUCache({ max: jobs });
  }

  async asset({ environment, tenant }: Owner, assetId: string): Promise<StoredAsset | undefined> {
    const stream = streamName(environment, 'asset', assetId);
    const remembered = this.assets.get(`${tenant} ${stream}`);
    if (remembered) return remembered;
    const { state } = await load<Asset, never>(this.store, stream, {
      initial: initialAsset,
      evolve: evolveAsset,
    });
    if (state?.tenant !== tenant) return undefined;
    this.assets.set(`${tenant} ${stream}`, state);
    return state;
  }

  async job({ environment, tenant }: Owner, jobId: string): Promise<JobPictures | undefined> {
    const stream = streamName(environment, 'job', jobId);
    const remembered = this.jobs.get(`${tenant} ${stream}`);
    if (remembered) return remembered;
    const events: JobEvent[] = [];
    for await (const page of readForwards(this.store, stream, 0n))
      // A job's stream holds the events of jobs only.
      for (const recorded of page) events.push(decode(recorded) as JobEvent);
    const [queued] = events;
    if (queued?.type !== 'JobQueued' || queued.data.tenant !== tenant) return undefined;
    const pictures = picturesOf(queued, events);
    if (events.some(isOver)) this.jobs.set(`${tenant} ${stream}`, pictures);
    return pictures;
  }

  /** What the job that made an asset says of it; undefined for an upload. */
  async artifact(owner: Owner, { assetId, jobId }: StoredAsset): Promise<JobArtifact | undefined> {
    const job = jobId === null ? undefined : await this.job(owner, jobId);
    return job?.artifacts.find((artifact) => artifact.assetId === assetId);
  }
}

function picturesOf(
  { data: { operation: workflow, inputs } }: Extract<JobEvent, { type: 'JobQueued' }>,
  events: readonly JobEvent[],
): JobPictures {
  const results = events.flatMap((event) => (event.type === 'JobSucceeded' ? event.data.artifacts : []));
  const stages = events.flatMap((event) => (event.type === 'StageCompleted' ? event.data.artifacts : []));
  return { workflow, inputs, results, artifacts: [...results, ...stages] };
}

function isOver({ type }: JobEvent): boolean {
  return type === 'JobSucceeded' || type === 'JobFailed' || type === 'JobCancelled';
}
