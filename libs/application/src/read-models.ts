import type { CatalogResource } from '#domain/catalog/catalog.js';
import type { JobEvent } from '#domain/job/job.events.js';
import type { PresetKind } from '#domain/preset/preset.events.js';
import type { Environment } from '#domain/streams.js';
import type { AssetRow } from '#projections/assets/assets.read-model.js';
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
export type AssetView = Readonly<AssetRow>;
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
  abstract find(environment: Environment): Promise<readonly JobWithoutTask[]>;
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

export type ProductView = Readonly<ProductRow>;

export interface ProductsFilter extends PageRequest {
  readonly status?: ProductView['status'] | undefined;
  /** The tenant's own name for it. */
  readonly externalRef?: string | undefined;
}

/** A page of the things that belong to a person. */
export interface BelongingsFilter {
  readonly kind: 'uploads' | 'products' | 'jobs';
  /** The last id of the previous page. Absent: from the first on. */
  readonly after?: string | undefined;
  readonly limit: number;
}

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

export interface KeptCall {
  readonly tenant: string;
  readonly jobId: string;
  readonly call: string;
  /** Pictures. */
  readonly kept: number;
  readonly answeredAt: Date;
}

/** The read models of one environment. Lists begin with the newest. */
export interface EnvironmentReads {
  readonly jobs: {
    /** Undefined if the cursor is not one of the tenant's jobs. */
    list(tenant: string, filter: JobsFilter): Promise<Page<JobView> | undefined>;
    find(tenant: string, jobId: string): Promise<JobView | undefined>;
    children(tenant: string, parentJobId: string): Promise<readonly JobView[]>;
    /** Jobs that were erased since then, and cancelled in the hour before. */
    cancelledAndErased(since: Date): Promise<readonly JobView[]>;
  };
  readonly timeline: {
    /** Public events beyond `since`, ascending by seq. */
    publicEvents(tenant: string, jobId: string, since: number): Promise<readonly TimelineEntry[]>;
  };
  readonly renders: {
    list(tenant: string, page: PageRequest): Promise<Page<RenderView>>;
    find(tenant: string, publicId: string): Promise<RenderView | undefined>;
  };
  readonly catalog: {
    list(tenant: string, resource: CatalogResource, page: PageRequest): Promise<Page<CatalogEntry>>;
    /** The entries among these ids that belong to the tenant and the resource, in no particular order. */
    find(
      tenant: string,
      resource: CatalogResource,
      assetIds: readonly string[],
    ): Promise<readonly CatalogEntry[]>;
  };
  readonly presets: {
    published(kind: PresetKind): Promise<readonly PresetTile[]>;
  };
  readonly products: {
    list(tenant: string, filter: ProductsFilter): Promise<Page<ProductView>>;
    /** The products that show one of these pictures, of which there is at least one. */
    showing(tenant: string, assetIds: readonly string[]): Promise<readonly ProductView[]>;
  };
  readonly assets: {
    /** Uploaded pictures that are not erased. */
    uploads(tenant: string, page: PageRequest): Promise<Page<AssetView>>;
    /** All pictures that these jobs have stored, also those that no event of a job names. */
    ofJobs(tenant: string, jobIds: readonly string[]): Promise<readonly AssetView[]>;
    /** Pictures that late workers have stored for jobs whose words were erased since then. */
    leftOfErasedJobs(since: Date): Promise<readonly AssetView[]>;
    /** The ids of uploads with these bytes, newest first. @param sha256 in hex */
    uploadsWith(tenant: string, sha256: string, limit: number): Promise<readonly string[]>;
  };
  readonly dataSubjects: {
    /**
     * The ids of the uploads, products or jobs that belong to a person, ascending. A batch and its photographs
     * are jobs of their own. A picture that a job made belongs to the persons of the job.
     */
    things(tenant: string, name: string, filter: BelongingsFilter): Promise<readonly string[]>;
  };
  readonly ledger: {
    list(tenant: string, page: PageRequest): Promise<Page<LedgerEntryView>>;
    /** The sum of all entries, in credits. */
    balance(tenant: string): Promise<number>;
  };
  readonly usage: {
    list(tenant: string, page: PageRequest): Promise<Page<UsageView>>;
  };
  readonly openCharges: OpenCharges;
  readonly calls: {
    /** The calls of jobs that have ended, oldest answer first. */
    answeredBetween(from: Date, until: Date, limit: number): Promise<readonly KeptCall[]>;
  };
  readonly keys: {
    find(keyId: string): Promise<Pick<Readonly<KeyRow>, 'revokedAt' | 'retiresAt'> | undefined>;
  };
}

/** The read models. They may lag behind the log: `ReadYourWrites` waits for them. */
export abstract class ReadModels {
  abstract of(environment: Environment): EnvironmentReads;
}
