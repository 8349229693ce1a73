import type { Findings } from '../findings.js';
import { hashOfRowKey, hashText } from '../rows/row-key.js';
import type { RowModel } from '../rows/row-model.js';
import { none, type Key } from '../rows/row-store.js';
import type { ExpectedRows } from './expected-rows.js';
import type { ReadStoreSnapshot } from './read-store-snapshot.js';

/** Of each read model. The rest of the wrong rows is counted. */
const mostSuspects = 10_000;

/** A row that is not what it must be. */
export interface Suspect {
  readonly keyHash: string;
  /** As the table has it; undefined: it has none. */
  readonly cells: readonly unknown[] | undefined;
}

export interface Comparison {
  readonly expected: ExpectedRows;
  readonly suspects: readonly Suspect[];
  /** Wrong rows beyond those. */
  readonly more: number;
  /** Σ of `credits_delta` by tenant; of the ledger only. */
  readonly sums: ReadonlyMap<string, number>;
}

export interface CompareOptions {
  readonly tenant: string | undefined;
  onRows(count: number): void;
}

/** Holds each row of a table against its digest. What differs is suspected; the cells are looked at one by one later. */
export async function compareRows(
  snapshot: ReadStoreSnapshot,
  expected: ExpectedRows,
  findings: Findings,
  { tenant, onRows }: CompareOptions,
): Promise<Comparison> {
  const { model, serving, rows } = expected;
  const suspects: Suspect[] = [];
  const sums = new Map<string, number>();
  let more = 0;
  if (!(await hasItsColumns(snapshot, expected, findings))) return { expected, suspects, more, sums };
  const suspect = (keyHash: string, cells: readonly unknown[] | undefined) => {
    if (suspects.length < mostSuspects) suspects.push({ keyHash, cells });
    else more++;
  };
  for await (const page of snapshot.rows(serving, model, tenant)) {
    findings.checked(model.name, page.length);
    onRows(page.length);
    for (const cells of page) {
      const key = keyOf(model, cells);
      const row = rows.find(key);
      if (row === none || !rows.meet(row, cells)) suspect(hashText(hashOfRowKey(key)), cells);
      if (model.name === 'ledger') addUp(sums, model, cells);
    }
  }
  for (const missing of rows.missing()) {
    findings.checked(model.name);
    suspect(hashText(missing), undefined);
  }
  return { expected, suspects, more, sums };
}

/** A column that the audit does not know is not compared, and so is wrong; without one that it knows nothing can be. */
async function hasItsColumns(
  snapshot: ReadStoreSnapshot,
  { model, serving, table }: ExpectedRows,
  findings: Findings,
): Promise<boolean> {
  const known = Object.keys(model.columns);
  const actual = await snapshot.columnsOf(serving);
  const missing = known.filter((name) => !actual.includes(name));
  for (const column of actual.filter((name) => !known.includes(name))) {
    const message = 'a column that this audit does not know, and did not compare';
    findings.wrong({ check: model.name, message, table, column, expected: null, found: column });
  }
  for (const column of missing) {
    const message = 'a column is missing: the table was not compared';
    findings.wrong({ check: model.name, message, table, column, expected: column, found: null });
  }
  return missing.length === 0;
}

export function keyOf(model: RowModel, cells: readonly unknown[]): Key {
  // The kinds of the key's columns are those of `Key`.
  return cells.slice(0, model.keyColumns) as unknown as Key;
}

function addUp(sums: Map<string, number>, { columns }: RowModel, cells: readonly unknown[]): void {
  const names = Object.keys(columns);
  const tenant = String(cells[names.indexOf('tenant')]);
  sums.set(tenant, (sums.get(tenant) ?? 0) + Number(cells[names.indexOf('credits_delta')]));
}
