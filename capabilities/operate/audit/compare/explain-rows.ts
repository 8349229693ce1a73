import { isDeepStrictEqual } from 'node:util';
import type { EventStore } from '#event-store/event-store.js';
import type { AuditedEvent } from '../audited-event.js';
import type { AuditFindings, Finding, Revision } from '../findings.js';
import { FoldedRows, type ColumnKind } from '../rows/folded-rows.js';
import type { ComparedTable } from './compare-rows.js';

type Cells = Readonly<Record<string, unknown>>;

/** The suspected rows of one table, folded again and kept in full. */
class SuspectRows {
  private readonly folds: readonly FoldedRows[];
  /** By the text of a row's key, the event that the row shows last. */
  private readonly lastEvents = new Map<string, Revision>();

  constructor(
    private readonly table: ComparedTable,
    store: EventStore,
  ) {
    const wanted = new Set(table.suspects.map(({ key }) => key));
    const onChange = (key: string, { stream, revision }: AuditedEvent) =>
      this.lastEvents.set(key, { stream, revision });
    this.folds = table.expected.folds.map((fold) => new FoldedRows(fold, store, { wanted, onChange }));
  }

  async apply(event: AuditedEvent): Promise<void> {
    if (this.table.expected.shows(event)) for (const rows of this.folds) await rows.apply(event);
  }

  *findings(): Generator<Finding> {
    for (const { key, cells } of this.table.suspects) {
      const must = this.expectedCells(key);
      const is = cells && this.readable(this.table.expected.columns.map((name, at) => [name, cells[at]]));
      if (must || is) yield* this.differences(key, must, is);
    }
  }

  private *differences(key: string, must: Cells | undefined, is: Cells | undefined): Generator<Finding> {
    const { check, table, columns } = this.table.expected;
    const place = { check, table, key: key.replaceAll('\0', '/'), ...this.lastEvents.get(key) };
    if (!is) return yield { ...place, message: 'a row is missing', expected: must, found: null };
    const message = 'a row that nothing in history explains';
    if (!must) return yield { ...place, message, expected: null, found: is };
    for (const column of columns) {
      const [expected, found] = [must[column], is[column]];
      if (!isDeepStrictEqual(expected, found))
        yield { ...place, message: 'a cell differs', column, expected, found };
    }
  }

  private expectedCells(key: string): Cells | undefined {
    const cells = this.table.expected.folds.flatMap(({ columns }, fold) => {
      const rows = this.folds[fold]!;
      const row = rows.row(key);
      return row ? rows.cellsOf(row).map((cell, at) => [columns[at]!.name, cell] as const) : [];
    });
    return cells.length > 0 ? this.readable(cells) : undefined;
  }

  /** All columns in the order of the table, with times as people write them. */
  private readable(cells: readonly (readonly [name: string, cell: unknown])[]): Cells {
    const cellOf = new Map(cells);
    const { columns } = this.table.expected.model;
    return Object.fromEntries(columns.map(({ name, kind }) => [name, readable(cellOf.get(name), kind)]));
  }
}

/** Reports the expected and actual cells of suspected rows. To do so, it folds the history a second time. */
export class RowExplanations {
  private readonly suspects: readonly SuspectRows[];

  constructor(
    private readonly tables: readonly ComparedTable[],
    store: EventStore,
  ) {
    this.suspects = tables
      .filter(({ suspects }) => suspects.length > 0)
      .map((table) => new SuspectRows(table, store));
  }

  get isNeeded(): boolean {
    return this.suspects.length > 0;
  }

  async apply(event: AuditedEvent): Promise<void> {
    for (const rows of this.suspects) await rows.apply(event);
  }

  /** `parked`: the streams that a read model has put aside, as `{table} {stream}`. */
  report(findings: AuditFindings, parked: ReadonlySet<string>): void {
    for (const rows of this.suspects) {
      for (const finding of rows.findings()) {
        const isParked = parked.has(`${finding.table} ${finding.stream}`);
        const message = isParked ? `${finding.message}: its stream is parked` : finding.message;
        findings.wrong({ ...finding, message });
      }
    }
    for (const { expected, more } of this.tables) findings.wrongUntold(expected.check, more);
  }
}

function readable(cell: unknown, kind: ColumnKind): unknown {
  if (kind === 'time' && typeof cell === 'number') return timeText(cell);
  // The value after a JSON round trip, which drops undefined members.
  return JSON.parse(JSON.stringify(cell ?? null)) as unknown;
}

/** Events have whole milliseconds, so a fraction is an error and is shown. */
function timeText(milliseconds: number): string {
  const whole = Math.floor(milliseconds);
  if (!Number.isFinite(whole) || Math.abs(whole) > 8.64e15) return String(milliseconds);
  const text = new Date(whole).toISOString();
  return whole === milliseconds ? text : `${text} and ${Number((milliseconds - whole).toFixed(3))} ms`;
}
