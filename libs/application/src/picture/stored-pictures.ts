import { Injectable, Optional } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { evolveAsset, initialAsset, type Asset, type KnownAsset } from '#domain/asset/asset.js';
import type { AssetEvent } from '#domain/asset/asset.events.js';
import { aboutPersons, type AboutPersons } from '#domain/data-subject.js';
import type { JobArtifact, JobEvent, JobInputImage } from '#domain/job/job.events.js';
import { streamName } from '#domain/streams.js';
import { EventStore } from '#event-store/event-store.js';
import { entriesUpTo } from '#platform/cache-size.js';
import { load, type Aggregate } from '../aggregate.js';
import type { Announcement, Listener } from '../announcements.js';
import type { Caller } from '../command-context.js';
import { jobEvents } from '../render/batch-grouping.js';

export const assetAggregate: Aggregate<Asset, AssetEvent> = { initial: initialAsset, evolve: evolveAsset };

export type Owner = Pick<Caller, 'environment' | 'tenant'>;

export interface JobPictures extends Readonly<AboutPersons> {
  readonly workflow: string;
  readonly inputs: readonly JobInputImage[];
  /** The final pictures; empty unless the job succeeded. */
  readonly results: readonly JobArtifact[];
  /** All pictures that it made, intermediate and final. */
  readonly artifacts: readonly JobArtifact[];
}

/**
 * Pictures and the jobs that made them, read from their own streams, so each is usable as soon as its upload or
 * job is answered. Looking for another owner's picture takes as long as looking for one that never existed: the
 * caches are kept per owner, so a fast answer never reveals a foreign picture.
 */
@Injectable()
export class StoredPictures implements Listener {
  readonly category = 'asset';
  readonly types = ['CatalogEntryRetired', 'PictureErased'] as const;

  /** Assets change only when they are retired or erased, which is announced. Jobs that are over never change. */
  private readonly assets: LRUCache<string, KnownAsset>;
  private readonly jobs: LRUCache<string, JobPictures>;
  /** Counts announcements. A look-up during which one arrived is not remembered. */
  private heard = 0;

  constructor(
    private readonly store: EventStore,
    @Optional() { assets = 20_000, jobs = 2_000 }: { readonly assets?: number; readonly jobs?: number } = {},
  ) {
    this.assets = new LRUCache(entriesUpTo(assets));
    this.jobs = new LRUCache(entriesUpTo(jobs));
  }

  async asset({ environment, tenant }: Owner, assetId: string): Promise<KnownAsset | undefined> {
    const stream = streamName(environment, 'asset', assetId);
    const remembered = this.assets.get(`${tenant} ${stream}`);
    if (remembered) return remembered;
    const { heard } = this;
    const { state } = await load(this.store, stream, assetAggregate);
    if (state?.tenant !== tenant) return undefined;
    if (heard === this.heard) this.assets.set(`${tenant} ${stream}`, state);
    return state;
  }

  /** A picture that the owner uploaded; undefined if it is unknown, rendered, or another owner's. */
  async upload(owner: Owner, assetId: string): Promise<KnownAsset | undefined> {
    const asset = await this.asset(owner, assetId);
    return asset?.origin === 'upload' ? asset : undefined;
  }

  hear({ environment, id, event }: Announcement): void {
    if (event.type !== 'CatalogEntryRetired' && event.type !== 'PictureErased') return;
    this.forget({ environment, tenant: event.data.tenant }, id);
    // The jobs that show the picture describe it in words.
    if (event.type === 'PictureErased') this.jobs.clear();
  }

  forget({ environment, tenant }: Owner, assetId: string): void {
    this.heard += 1;
    this.assets.delete(`${tenant} ${streamName(environment, 'asset', assetId)}`);
  }

  async job({ environment, tenant }: Owner, jobId: string): Promise<JobPictures | undefined> {
    const stream = streamName(environment, 'job', jobId);
    const remembered = this.jobs.get(`${tenant} ${stream}`);
    if (remembered) return remembered;
    const events = await jobEvents(this.store, environment, jobId);
    const [queued] = events;
    if (queued?.type !== 'JobQueued' || queued.data.tenant !== tenant) return undefined;
    const pictures = picturesOf(queued, events);
    if (events.some(isOver)) this.jobs.set(`${tenant} ${stream}`, pictures);
    return pictures;
  }

  /** The description of an asset by the job that made it, and the job's persons; undefined for an upload. */
  async artifact(
    owner: Owner,
    { assetId, jobId }: KnownAsset,
  ): Promise<(JobArtifact & AboutPersons) | undefined> {
    const job = jobId === null ? undefined : await this.job(owner, jobId);
    const made = job?.artifacts.find((artifact) => artifact.assetId === assetId);
    return made && { ...made, ...aboutPersons(job?.dataSubjects) };
  }
}

function picturesOf(
  { data: { operation: workflow, inputs, dataSubjects } }: Extract<JobEvent, { type: 'JobQueued' }>,
  events: readonly JobEvent[],
): JobPictures {
  const results = events.flatMap((event) => (event.type === 'JobSucceeded' ? event.data.artifacts : []));
  const stages = events.flatMap((event) => (event.type === 'StageCompleted' ? event.data.artifacts : []));
  return { workflow, inputs, results, artifacts: [...results, ...stages], ...aboutPersons(dataSubjects) };
}

function isOver({ type }: JobEvent): boolean {
  return type === 'JobSucceeded' || type === 'JobFailed' || type === 'JobCancelled';
}
