import type { EventStore, RecordedEvent } from '#event-store/event-store.js';
import type { Configuration } from '#platform/configuration.js';
import type { AsJson } from './call.js';

/** By the name of the check: the number of the invariant (docs/auditing.md), and the rule. */
export type AuditRules<Check extends string = string> = Readonly<
  Record<Check, readonly [invariant: number, title: string]>
>;

/** Takes what the checks of a capability looked at, and what is wrong. */
export interface CheckFindings<Check extends string = string> {
  checked(check: Check, count?: number): void;
  /** An event is wrong, or shows what is. */
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
  /** Of the service. Undefined: a backup is audited where no service is. */
  readonly configuration: Configuration | undefined;
  /** The log was restored from a backup, so what came later is missing from it. */
  readonly isBackup: boolean;
  /** The text that the operator has kept outside the log, to compare the log with. */
  readonly against?: string | undefined;
}

/**
 * Checks history while the audit reads it. Only an audit of the whole log opens it; its checks count as made when it
 * says that they apply.
 */
export interface HistoryReader<Report extends object = object> {
  readonly checks: readonly string[];
  /** Call it before the head of the log is read. @returns whether its checks apply to this log */
  open(store: Pick<EventStore, 'readStream'>, findings: CheckFindings): Promise<boolean>;
  /** Call it with all events of the log, in order. */
  apply(events: readonly RecordedEvent[]): Promise<void>;
  /** @param now in milliseconds; undefined: the log was not read to its end */
  end(now: number | undefined): Promise<void>;
  /** How many of the events it has proven to be unaltered. */
  readonly proven: number;
  /** What it adds to the report, also when it was not opened. */
  report(): Report;
}

/** What a capability adds to the audit. */
export interface HistoryAudit<Report extends object = object> {
  /** @throws CliError when it cannot be made as it was asked for */
  begin(log: AuditedLog): Promise<HistoryReader<Report>>;
  /** For people, below the table of checks. */
  notes(report: AsJson<Report>): string[];
}
