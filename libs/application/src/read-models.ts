import type { CatalogResource } from '#domain/catalog/catalog.js';
import type { JobEvent } from '#domain/job/job.events.js';
import type { PresetKind } from '#domain/preset/preset.events.js';
import type { Environment } from '#domain/streams.js';
import type { CatalogRow } from '#projections/catalog/catalog.read-model.js';
import type { JobRow } from '#projections/jobs/jobs.read-model.js';
import type { KeyRow } from '#projections/keys/keys.read-model.js';
import type { LedgerRow } from '#projections/ledger/ledger.read-model.js';
import type { PresetRow } from '#projections/presets/presets.read-model.js';
import type { ProductRow } from '#projections/products/products.read-model.js';
import type { FinishedRender } from '#projections/renders/renders.read-model.js';
import type { TimelineRow } from '#projections/timeline/timeline.read-model.js';
import type { UsageRow } from '#projections/usage/usage.read-model.js';

// The read models declare these rows, so each column is declared once. Only types are shared: the application
// reads the rows through the ports below.
export type RenderView = Readonly<FinishedRender>;
export type CatalogEntry = Readonly<CatalogRow>;
export type PresetTile = Pick<Readonly<PresetRow>, 'presetId' | 'label' | 'storageKey'>;
export type LedgerEntryView = Readonly<LedgerRow>;
export type UsageView = Readonly<UsageRow>;

export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
}

/** One page and how many rows there are in all. */
export interface Page<Row> {
  readonly items: readonly Row[];
  readonly total: number;
}

/** A job as its read model or the fold of its own stream shows it. */
export type JobView = Readonly<JobRow>;

/** A timeline event as a caller may see it, before URLs are presigned. */
export type TimelineEntry = Readonly<TimelineRow>;

export interface JobsFilter {
  /** Absent: all types. */
  readonly jobTypes?: readonly string[] | undefined;
  readonly status?: JobView['status'] | undefined;
  /** Strictly after. */
  readonly createdAfter?: Date | undefined;
  /** The last job of the previous page; the page holds older ones. */
  readonly cursor?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** The jobs read model of one environment. */
export abstract class JobReads {
  /** Newest first. Undefined if the cursor is not one of the tenant's jobs. */
  abstract list(tenant: string, filter: JobsFilter): Promise<Page<JobView> | undefined>;
  abstract find(tenant: string, jobId: string): Promise<JobView | undefined>;
  abstract children(tenant: string, parentJobId: string): Promise<readonly JobView[]>;
}

export interface JobWithoutTask {
  readonly jobId: string;
  readonly tenant: string;
  readonly parentJobId: string | null;
}

/**
 * Unfinished jobs without a task: the render queue has none for the job, for its batch, or for its photographs.
 * The read models may lag, so the jobs' own streams decide.
 */
export abstract class JobsWithoutTask {
  /** @param forMs minimum age of the job's queueing and of its last attempt. Default 0 */
  abstract find(environment: Environment, forMs?: number): Promise<readonly JobWithoutTask[]>;
}

/** The timeline read model of one environment. */
export abstract class TimelineReads {
  /** Public events beyond `since`, ascending by seq. */
  abstract publicEvents(tenant: string, jobId: string, since: number): Promise<readonly TimelineEntry[]>;
}

/** The order as the dispatch was accepted. */
export type JobOrder = Pick<Extract<JobEvent, { type: 'JobQueued' }>['data'], 'request' | 'seed'>;

export interface FoundJob {
  readonly job: JobView;
  readonly order: JobOrder;
  readonly timeline: readonly TimelineEntry[];
  /** Position of the job's last event in the log. */
  readonly position: bigint;
}

/** A job folded from its own stream: never stale, and never another tenant's. */
export abstract class JobStreams {
  abstract find(environment: Environment, tenant: string, jobId: string): Promise<FoundJob | undefined>;
  /** Reads the first event alone. Undefined if the job is unknown or another tenant's. */
  abstract order(environment: Environment, tenant: string, jobId: string): Promise<JobOrder | undefined>;
}

/** The renders gallery of one environment. */
export abstract class RenderReads {
  /** Newest first. */
  abstract list(tenant: string, page: PageRequest): Promise<Page<RenderView>>;
  abstract find(tenant: string, publicId: string): Promise<RenderView | undefined>;
}

/** The catalogue of one environment. */
export abstract class CatalogReads {
  /** Newest first. */
  abstract list(tenant: string, resource: CatalogResource, page: PageRequest): Promise<Page<CatalogEntry>>;
  /** The entries among these ids that belong to the tenant and the resource, in no particular order. */
  abstract find(
    tenant: string,
    resource: CatalogResource,
    assetIds: readonly string[],
  ): Promise<readonly CatalogEntry[]>;
}

/** The presets of one environment. */
export abstract class PresetReads {
  /** The presets that callers can choose. */
  abstract published(kind: PresetKind): Promise<readonly PresetTile[]>;
}

export type ProductView = Readonly<ProductRow>;

export interface ProductsFilter extends PageRequest {
  readonly status?: ProductView['status'] | undefined;
  /** The tenant's own name for it. */
  readonly externalRef?: string | undefined;
}

/** The products of one environment. */
export abstract class ProductReads {
  /** Newest first. */
  abstract list(tenant: string, filter: ProductsFilter): Promise<Page<ProductView>>;
}

/** The credit ledger of one environment. */
export abstract class LedgerReads {
  /** Newest first. */
  abstract list(tenant: string, page: PageRequest): Promise<Page<LedgerEntryView>>;
  /** The sum of all entries, in credits. */
  abstract balance(tenant: string): Promise<number>;
}

/** The usage log of one environment. */
export abstract class UsageReads {
  /** Newest first. */
  abstract list(tenant: string, page: PageRequest): Promise<Page<UsageView>>;
}

/** An open charge without a known job, or one whose job ended a while ago. */
export interface OrphanCandidate {
  readonly tenant: string;
  readonly chargeId: string;
  readonly jobId: string;
  /** When it was charged. */
  readonly createdAt: Date;
}

/** The sweep's source of candidates. It may lag behind the log: the fence decides. */
export abstract class OpenCharges<Candidate extends OrphanCandidate = OrphanCandidate> {
  /**
   * Open charges from before `before` whose job, if there is one, also ended before it. Oldest first. `after`
   * is the last candidate of the previous page; absent: from the oldest on.
   */
  abstract openChargesOlderThan(
    before: Date,
    limit: number,
    after?: Candidate,
  ): Promise<readonly Candidate[]>;
}

/** The keys of one environment according to the read model, which may lag. */
export abstract class KeyReads {
  abstract find(keyId: string): Promise<Pick<Readonly<KeyRow>, 'revokedAt' | 'retiresAt'> | undefined>;
}

/** The read models of one environment. */
export interface EnvironmentReads {
  readonly jobs: JobReads;
  readonly timeline: TimelineReads;
  readonly renders: RenderReads;
  readonly catalog: CatalogReads;
  readonly presets: PresetReads;
  readonly products: ProductReads;
  readonly ledger: LedgerReads;
  readonly usage: UsageReads;
  readonly openCharges: OpenCharges;
  readonly calls: CallReads;
  readonly keys: KeyReads;
}

/** A call of a vendor whose answer is kept. */
export interface KeptCall {
  readonly tenant: string;
  readonly jobId: string;
  readonly call: string;
  /** Pictures. */
  readonly kept: number;
  readonly answeredAt: Date;
}

export interface CallReads {
  /** The calls of jobs that have ended, oldest answer first. */
  answeredBetween(from: Date, until: Date, limit: number): Promise<readonly KeptCall[]>;
}

/** The read models. They may lag behind the log: `ReadYourWrites` waits for them. */
export abstract class ReadModels {
  abstract of(environment: Environment): EnvironmentReads;
}
