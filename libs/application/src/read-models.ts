import type { CatalogResource } from '#domain/catalog/catalog.js';
import type { JobArtifact } from '#domain/job/job.events.js';
import type { PresetKind } from '#domain/preset/preset.events.js';
import type { Environment } from '#domain/streams.js';

export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
}

/** One page and how many rows there are in all. */
export interface Page<Row> {
  readonly items: readonly Row[];
  readonly total: number;
}

export type JobStatus = 'NOT_STARTED' | 'IN_PROGRESS' | 'SUCCESS' | 'FAILURE';

/** An event of a job's timeline as a caller may see it; URLs are still to be presigned. */
export interface TimelineEventView {
  /** The polling cursor: revision in the job's stream + 1. */
  readonly seq: number;
  readonly eventType: string;
  readonly stage: string;
  readonly message: string;
  readonly artifacts: readonly JobArtifact[];
  readonly extra: Readonly<Record<string, unknown>>;
}

/** A job as its read model, or the fold of its own stream, shows it. */
export interface JobView {
  readonly publicId: string;
  readonly jobType: string;
  readonly status: JobStatus;
  readonly creditsCost: number;
  readonly requestId: string;
  readonly parentJobId: string | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  /** Artifacts of a job that succeeded. */
  readonly result: readonly JobArtifact[] | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly latestSeq: number;
  readonly latestEvent: TimelineEventView & { readonly createdAt: string };
}

export interface JobsFilter {
  /** Absent: all types. */
  readonly jobTypes?: readonly string[] | undefined;
  readonly status?: JobStatus | undefined;
  /** Strictly after. */
  readonly createdAfter?: Date | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** The jobs read model of one environment. */
export abstract class JobReads {
  /** Newest first. */
  abstract list(tenant: string, filter: JobsFilter): Promise<readonly JobView[]>;
  abstract find(tenant: string, jobId: string): Promise<JobView | undefined>;
  abstract children(tenant: string, parentJobId: string): Promise<readonly JobView[]>;
}

export type TimelineEntry = TimelineEventView & { readonly createdAt: Date };

/** The timeline read model of one environment. */
export abstract class TimelineReads {
  /** Public events beyond `since`, ascending by seq. */
  abstract publicEvents(tenant: string, jobId: string, since: number): Promise<readonly TimelineEntry[]>;
}

export interface FoundJob {
  readonly job: JobView;
  readonly timeline: readonly TimelineEntry[];
  /** Of the job's last event in the log. */
  readonly position: bigint;
}

/** A job folded from its own stream: never behind, and never of another tenant. */
export abstract class JobStreams {
  abstract find(environment: Environment, tenant: string, jobId: string): Promise<FoundJob | undefined>;
}

/** A finished picture, under the id of the job that made it. */
export interface RenderView {
  readonly publicId: string;
  readonly jobType: string;
  readonly label: string;
  readonly kind: string;
  readonly width: number;
  readonly height: number;
  readonly storageKey: string;
  readonly createdAt: Date;
}

/** The renders gallery of one environment. */
export abstract class RenderReads {
  /** Newest first. */
  abstract list(tenant: string, page: PageRequest): Promise<Page<RenderView>>;
  abstract find(tenant: string, publicId: string): Promise<RenderView | undefined>;
}

/** A building block that a job of the caller's made. */
export interface CatalogEntry {
  /** Of its picture, and of the entry. */
  readonly assetId: string;
  readonly kind: string;
  readonly label: string;
  readonly storageKey: string;
  readonly width: number;
  readonly height: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly jobId: string;
  readonly createdAt: Date;
}

/** The catalogue of one environment. */
export abstract class CatalogReads {
  /** Newest first. */
  abstract list(tenant: string, resource: CatalogResource, page: PageRequest): Promise<Page<CatalogEntry>>;
  /** Those of these ids that are the tenant's and of that resource, in no particular order. */
  abstract find(
    tenant: string,
    resource: CatalogResource,
    assetIds: readonly string[],
  ): Promise<readonly CatalogEntry[]>;
}

/** A preset as a caller chooses it. */
export interface PresetTile {
  readonly presetId: string;
  readonly label: string;
  /** Of the preview. */
  readonly storageKey: string;
}

/** The presets of one environment. */
export abstract class PresetReads {
  /** Those that can be chosen. */
  abstract published(kind: PresetKind): Promise<readonly PresetTile[]>;
}

export interface LedgerEntryView {
  readonly id: string;
  readonly kind: string;
  readonly label: string;
  readonly creditsDelta: number;
  readonly status: string;
  readonly createdAt: Date;
}

/** The credit ledger of one environment. */
export abstract class LedgerReads {
  /** Newest first. */
  abstract list(tenant: string, page: PageRequest): Promise<Page<LedgerEntryView>>;
}

export interface UsageView {
  readonly requestId: string;
  readonly endpoint: string;
  readonly method: string;
  readonly status: string;
  readonly httpStatus: number | null;
  readonly creditsCharged: number;
  readonly creditsRefunded: number;
  readonly jobId: string | null;
  readonly createdAt: Date;
  readonly submittedAt: Date | null;
  readonly resolvedAt: Date | null;
  readonly latencyMs: number | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
}

/** The usage log of one environment. */
export abstract class UsageReads {
  /** Newest first. */
  abstract list(tenant: string, page: PageRequest): Promise<Page<UsageView>>;
}

/** A charge that is open although no job is known for it. */
export interface OrphanCandidate {
  readonly tenant: string;
  readonly chargeId: string;
  readonly jobId: string;
  /** When it was charged. */
  readonly createdAt: Date;
}

/** Where the sweep looks for candidates. It may be behind the log: the fence decides. */
export abstract class OpenCharges<Candidate extends OrphanCandidate = OrphanCandidate> {
  /** Oldest first. `after` is the last candidate of the page before; absent: from the oldest on. */
  abstract openChargesOlderThan(
    before: Date,
    limit: number,
    after?: Candidate,
  ): Promise<readonly Candidate[]>;
}

/** The read models of one environment. */
export interface EnvironmentReads {
  readonly jobs: JobReads;
  readonly timeline: TimelineReads;
  readonly renders: RenderReads;
  readonly catalog: CatalogReads;
  readonly presets: PresetReads;
  readonly ledger: LedgerReads;
  readonly usage: UsageReads;
  readonly openCharges: OpenCharges;
}

/** What the projections have made of the log. It may be behind: `ReadYourWrites` waits for it. */
export abstract class ReadModels {
  abstract of(environment: Environment): EnvironmentReads;
}
