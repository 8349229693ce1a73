import { isDeepStrictEqual } from 'node:util';
import type { AuditedEvent } from '../audited-event.js';
import type { Finding, Findings } from '../findings.js';
import { ExactRows, type ExactRow } from '../rows/exact-rows.js';
import type { RowModel } from '../rows/row-model.js';
import { keyOf, type Comparison, type Suspect } from './compare-rows.js';

/** Says of the suspected rows what they must be and what they are. For that the history is folded a second time. */
export class RowExplanations {
  private readonly exact: { readonly comparison: Comparison; readonly rows: ExactRows }[];

  constructor(comparisons: readonly Comparison[]) {
    this.exact = comparisons
      .filter(({ suspects }) => suspects.length > 0)
      .map((comparison) => {
        const wanted = new Set(comparison.suspects.map(({ keyHash }) => keyHash));
        return { comparison, rows: new ExactRows(wanted) };
      });
  }

  get isNeeded(): boolean {
    return this.exact.length > 0;
  }

  apply(event: AuditedEvent): void {
    for (const { comparison, rows } of this.exact) {
      const { expected } = comparison;
      if (!expected.consumes(event) || !expected.hasPassed(event)) continue;
      rows.begin(event);
      expected.model.fold(event, rows);
    }
  }

  /** `parked`: the streams that a read model has put aside, as `{table} {stream}`. */
  report(findings: Findings, parked: ReadonlySet<string>): void {
    for (const { comparison, rows } of this.exact) {
      const { expected, suspects, more } = comparison;
      const { model, table } = expected;
      for (const suspect of suspects) {
        for (const finding of explain(model, table, suspect, rows.row(suspect.keyHash))) {
          const isParked = parked.has(`${table} ${finding.stream}`);
          const message = isParked ? `${finding.message}: its stream is parked` : finding.message;
          findings.wrong({ ...finding, message });
        }
      }
      findings.wrongUntold(model.name, more);
    }
  }
}

function* explain(
  model: RowModel,
  table: string,
  { cells }: Suspect,
  expected: ExactRow | undefined,
): Generator<Finding> {
  const names = Object.keys(model.columns);
  const shown = expected?.shows;
  const place = shown && { stream: shown.stream, revision: shown.revision };
  const check = model.name;
  if (!cells) {
    if (!expected?.present) return;
    const key = keyOf(
      model,
      names.map((name) => expected.cells[name]),
    );
    const row = readable(model, expected.cells);
    yield {
      ...{ check, message: 'a row is missing', table, key: key.join('/') },
      ...place,
      ...{ expected: row, found: null },
    };
    return;
  }
  const key = keyOf(model, cells).join('/');
  const actual = Object.fromEntries(names.map((name, index) => [name, cells[index]]));
  if (!expected?.present) {
    const found = readable(model, actual);
    yield {
      ...{ check, message: 'a row that nothing in history explains', table, key },
      ...place,
      ...{ expected: null, found },
    };
    return;
  }
  const [must, is] = [readable(model, expected.cells), readable(model, actual)];
  for (const column of names) {
    if (isDeepStrictEqual(must[column], is[column])) continue;
    yield {
      ...{ check, message: 'a cell differs', table, key, column },
      ...place,
      ...{ expected: must[column], found: is[column] },
    };
  }
}

/** Times as people write them. */
function readable(model: RowModel, cells: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(model.columns).map(([name, kind]) => {
    const cell = cells[name] ?? null;
    const isTime = kind === 'time' && typeof cell === 'number';
    return [name, isTime ? timeText(cell) : withoutUndefined(cell)] as const;
  });
  return Object.fromEntries(entries);
}

/** Fractions of a millisecond are none of ours, and are what is wrong then. */
function timeText(milliseconds: number): string {
  const whole = Math.floor(milliseconds);
  if (!Number.isFinite(whole) || Math.abs(whole) > 8.64e15) return String(milliseconds);
  const text = new Date(whole).toISOString();
  return whole === milliseconds ? text : `${text} and ${Number((milliseconds - whole).toFixed(3))} ms`;
}

/** What JSON makes of it: a member that is undefined is none. */
function withoutUndefined(cell: unknown): unknown {
  return typeof cell === 'object' && cell !== null ? (JSON.parse(JSON.stringify(cell)) as unknown) : cell;
}
