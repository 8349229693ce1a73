import type { StreamCategory } from '#domain/streams.js';
import type { CheckName } from '../checks.js';
import type { AuditedEvent } from '../audited-event.js';
import type { RowStore, Table } from './row-store.js';

export type ReadModelName = Extract<
  CheckName,
  'jobs' | 'timeline' | 'usage' | 'ledger' | 'renders' | 'keys' | 'assets' | 'presets' | 'catalog'
>;

/** What a read model must hold, worked out a second time: written from its columns, not from its projection. */
export interface RowModel extends Table {
  readonly name: ReadModelName;
  /** The streams that it is made of. */
  readonly categories: readonly StreamCategory[];
  /** The column that says whose a row is. */
  readonly tenantColumn?: string;
  /** Numbers that it keeps of each row, beside its cells. Default 0. */
  readonly slots?: number;
  fold(event: AuditedEvent, rows: RowStore): void;
}

/** Milliseconds of a time as events have it. */
export function time(at: string): number {
  return Date.parse(at);
}
