import type { Environment } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import type { ReadBalance } from './compare/balances.js';
import type { AuditCheck, Finding, Tally } from './findings.js';
import type { ReadModelFold } from './rows/read-model-fold.js';

export type AuditPhase = 'reading history' | 'comparing rows' | 'looking closer';

export interface AuditProgress {
  readonly phase: AuditPhase;
  /** Of the log, or of the rows while those are compared. */
  readonly position: bigint;
  readonly from: bigint;
  readonly through: bigint;
  /** Read in this phase; absent while rows are compared. */
  readonly events?: number;
}

/** The last event that counts, by its position; or the moment after which events were recorded that do not. */
export type Cut = { readonly position: bigint } | { readonly time: number };

export interface AuditOptions {
  readonly store: EventStore;
  /** Where read models are. They are compared only without a cut: they have no past. */
  readonly readStoreUrl: string;
  /** All read models. */
  readonly readModels: readonly ReadModelFold[];
  readonly readBalance: ReadBalance;
  readonly environments: readonly Environment[];
  readonly tenant?: string | undefined;
  readonly cut?: Cut | undefined;
  /** How long a charge may stay open that should be closed, in milliseconds. */
  readonly horizonMs: number;
  /** How long a read model may stand still before the end of the log, in milliseconds. */
  readonly patienceMs?: number;
  readonly now: number;
  readonly signal: AbortSignal;
  onProgress?(progress: AuditProgress): void;
}

export interface CheckResult extends AuditCheck, Tally {
  /** False: the audit was asked for a part of what there is, to which this check does not apply. */
  readonly done: boolean;
}

export interface AuditReport {
  /** True when everything that was checked holds. */
  readonly holds: boolean;
  /** Position of the last event that was read; undefined: there is none. */
  readonly head: bigint | undefined;
  readonly events: number;
  readonly streams: number;
  /** Events of streams that this service does not write. */
  readonly foreign: number;
  readonly checks: readonly CheckResult[];
  readonly findings: readonly Finding[];
}
