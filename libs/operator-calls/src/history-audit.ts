import type { EventStore, RecordedEvent } from '#event-store/event-store.js';
import type { Configuration } from '#platform/configuration.js';
import type { AsJson } from './call.js';

/** By check: the number of its invariant (docs/auditing.md), and its rule. */
export type AuditRules<Check extends string = string> = Readonly<
  Record<Check, readonly [invariant: number, title: string]>
>;

/** Collects how much a capability's checks have covered, and each failure. */
export interface CheckFindings<Check extends string = string> {
  checked(check: Check, count?: number): void;
  /** Reports an event that is wrong, or that shows an error. */
  wrongAt(
    place: { readonly stream: string; readonly revision: number },
    check: Check,
    message: string,
    expected: unknown,
    found: unknown,
  ): void;
}

/** The log that is audited. */
export interface AuditedLog {
  readonly store: EventStore;
  /** The service's settings. Undefined: a backup is audited, and no service exists. */
  readonly configuration: Configuration | undefined;
  /** The log was restored from a backup, so later events are missing. */
  readonly isBackup: boolean;
  /** The text that the operator has kept outside the log, for comparison. */
  readonly against?: string | undefined;
}

/**
 * Checks history while the audit reads it. Only an audit of the whole log opens it. Its checks count as made if
 * `open` returns true.
 */
export interface HistoryReader<Report extends object = object> {
  readonly checks: readonly string[];
  /** Call this before the head of the log is read. @returns whether its checks apply to this log */
  open(store: Pick<EventStore, 'readStream'>, findings: CheckFindings): Promise<boolean>;
  /** Call this with all events of the log, in order. */
  apply(events: readonly RecordedEvent[]): Promise<void>;
  /** @param now in milliseconds; undefined: the log was not read to its end */
  end(now: number | undefined): Promise<void>;
  /** The number of events that it has proven to be unaltered. */
  readonly proven: number;
  /** Its part of the report, also when it was not opened. */
  report(): Report;
}

/** A capability's part in the audit. */
export interface HistoryAudit<Report extends object = object> {
  /** @throws CallRefused when the requested audit is impossible */
  begin(log: AuditedLog): Promise<HistoryReader<Report>>;
  /** For people, below the table of checks. */
  notes(report: AsJson<Report>): string[];
}
