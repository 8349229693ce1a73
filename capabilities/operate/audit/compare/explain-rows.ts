import { isDeepStrictEqual } from 'node:util';
import type { EventStore } from '#event-store/event-store.js';
import type { AuditedEvent } from '../audited-event.js';
import type { AuditFindings, Finding } from '../findings.js';
import { AuditedRows } from '../rows/audited-rows.js';
import { ExactRows, type ExactRow } from '../rows/row-store.js';
import type { ComparedTable, ExpectedRows, SuspectRow } from './compare-rows.js';

interface Explained {
  readonly table: ComparedTable;
  readonly rows: ExactRows;
  readonly audited: AuditedRows;
}

/** Reports the expected and actual cells of suspected rows. For that the history is folded a second time. */
export class RowExplanations {
  private readonly explained: readonly Explained[];

  constructor(tables: readonly ComparedTable[], store: EventStore) {
    this.explained = tables
      .filter(({ suspects }) => suspects.length > 0)
      .map((table) => {
        const rows = new ExactRows(new Set(table.suspects.map(({ keyHash }) => keyHash)));
        return { table, rows, audited: new AuditedRows(table.expected.model, rows, store) };
      });
  }

  get isNeeded(): boolean {
    return this.explained.length > 0;
  }

  async apply(event: AuditedEvent): Promise<void> {
    for (const { table, rows, audited } of this.explained) {
      if (!table.expected.shows(event)) continue;
      rows.begin(event);
      await audited.apply(event);
    }
  }

  /** `parked`: the streams that a read model has put aside, as `{table} {stream}`. */
  report(findings: AuditFindings, parked: ReadonlySet<string>): void {
    for (const { table, rows } of this.explained) {
      const { expected, suspects, more } = table;
      for (const suspect of suspects) {
        for (const finding of explain(expected, suspect, rows.row(suspect.keyHash))) {
          const isParked = parked.has(`${expected.table} ${finding.stream}`);
          const message = isParked ? `${finding.message}: its stream is parked` : finding.message;
          findings.wrong({ ...finding, message });
        }
      }
      findings.wrongUntold(expected.check, more);
    }
  }
}

function* explain(
  compared: ExpectedRows,
  { cells }: SuspectRow,
  expected: ExactRow | undefined,
): Generator<Finding> {
  const { check, table, columns } = compared;
  const shown = expected?.shows;
  const place = shown && { stream: shown.stream, revision: shown.revision };
  const must = expected?.present ? readable(compared, expected.cells) : null;
  if (!cells) {
    if (!must || !expected) return;
    const key = compared.keyOf(columns.map((name) => expected.cells[name])).join('/');
    yield { check, message: 'a row is missing', table, key, ...place, expected: must, found: null };
    return;
  }
  const key = compared.keyOf(cells).join('/');
  const is = readable(compared, Object.fromEntries(columns.map((name, index) => [name, cells[index]])));
  if (!must) {
    const message = 'a row that nothing in history explains';
    yield { check, message, table, key, ...place, expected: null, found: is };
    return;
  }
  for (const column of columns) {
    const [expected, found] = [must[column], is[column]];
    if (isDeepStrictEqual(expected, found)) continue;
    yield { check, message: 'a cell differs', table, key, column, ...place, expected, found };
  }
}

/** Times as people write them. */
function readable(
  { model }: ExpectedRows,
  cells: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const entries = model.columns.map(({ name, kind }) => {
    const cell = cells[name] ?? null;
    const isTime = kind === 'time' && typeof cell === 'number';
    return [name, isTime ? timeText(cell) : withoutUndefined(cell)] as const;
  });
  return Object.fromEntries(entries);
}

/** Events have whole milliseconds: a fraction is what is wrong. */
function timeText(milliseconds: number): string {
  const whole = Math.floor(milliseconds);
  if (!Number.isFinite(whole) || Math.abs(whole) > 8.64e15) return String(milliseconds);
  const text = new Date(whole).toISOString();
  return whole === milliseconds ? text : `${text} and ${Number((milliseconds - whole).toFixed(3))} ms`;
}

/** The value after a JSON round trip, which drops undefined members. */
function withoutUndefined(cell: unknown): unknown {
  return typeof cell === 'object' && cell !== null ? (JSON.parse(JSON.stringify(cell)) as unknown) : cell;
}
