import type { Environment } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import type { AuditedEvent, EventOrigin } from '../audited-event.js';
import { checkOfReadModel, type AuditFindings, type CheckName } from '../findings.js';
import { FoldedRows, textOfKey, type ReadModelFold, type RowFold, type RowKey } from '../rows/folded-rows.js';
import { foldsOf } from '../rows/money-models.js';
import type { ReadStoreSnapshot, ServingModel } from './read-store-snapshot.js';

/** A read model that serves, and the rows that it must have. */
export class ExpectedRows {
  readonly check: CheckName;
  /** `{environment}.{name}` */
  readonly table: string;
  readonly columns: readonly string[];
  /** Each expects some of the columns. */
  readonly folds: readonly RowFold[];
  /** Events of its streams that lie beyond its checkpoint. */
  beyond = 0;
  private readonly rows: readonly FoldedRows[];
  /** For each fold, the places of its columns in a row of the table. */
  private readonly places: readonly (readonly number[])[];

  constructor(
    readonly model: ReadModelFold,
    readonly serving: ServingModel,
    store: EventStore,
  ) {
    this.check = checkOfReadModel(model.name);
    this.table = `${serving.environment}.${model.name}`;
    this.columns = model.columns.map(({ name }) => name);
    this.folds = foldsOf(model);
    this.rows = this.folds.map((fold) => new FoldedRows(fold, store));
    this.places = this.folds.map(({ columns }) => columns.map(({ name }) => this.columns.indexOf(name)));
  }

  get environment(): Environment {
    return this.serving.environment;
  }

  /** Takes the next event of its streams. @returns a promise only if rows must be read again first */
  apply(event: AuditedEvent): Promise<void> | undefined {
    let rereading: Promise<void> | undefined;
    if (!this.hasPassed(event)) this.beyond++;
    // At most one of the folds rereads rows: the model of money never does.
    else for (const rows of this.rows) rereading = rows.apply(event) ?? rereading;
    return rereading;
  }

  /** Whether the read model shows this event: it consumes the stream, and has reached the position. */
  shows(event: EventOrigin): boolean {
    return this.consumes(event) && this.hasPassed(event);
  }

  /** Removes a row of the table from the expected rows. @returns whether all of its cells are right */
  take(key: string, cells: readonly unknown[]): boolean {
    return this.rows
      .map((rows, fold) =>
        rows.take(
          key,
          this.places[fold]!.map((place) => cells[place]),
        ),
      )
      .every((isRight) => isRight);
  }

  /** About how many there are. */
  get size(): number {
    return this.rows.reduce((most, { size }) => Math.max(most, size), 0);
  }

  /** The keys of the rows that were not taken. */
  get keys(): ReadonlySet<string> {
    return new Set(this.rows.flatMap((rows) => [...rows.keys]));
  }

  keyOf(cells: readonly unknown[]): RowKey {
    // Columns of primary keys are texts and numbers.
    return cells.slice(0, this.model.keyColumns) as unknown as RowKey;
  }

  private consumes({ environment, category }: EventOrigin): boolean {
    return environment === this.environment && this.model.categories.includes(category);
  }

  private hasPassed({ position }: EventOrigin): boolean {
    return this.serving.position !== undefined && position <= this.serving.position;
  }
}

/** The most suspected rows kept for each read model. Further wrong rows are only counted. */
const mostSuspects = 10_000;

/** A row that is not what it must be. */
export interface SuspectRow {
  /** The text of its key. */
  readonly key: string;
  /** The cells of the row in the table; undefined if the table has no such row. */
  readonly cells: readonly unknown[] | undefined;
}

export interface ComparedTable {
  readonly expected: ExpectedRows;
  readonly suspects: readonly SuspectRow[];
  /** Wrong rows beyond those. */
  readonly more: number;
  /** Σ of `credits_delta` by tenant; of the ledger only. */
  readonly sums: ReadonlyMap<string, number>;
}

export interface CompareOptions {
  readonly tenant: string | undefined;
  onRows(count: number): void;
}

/** Compares each row of a table with its digest. Rows that differ are suspected; their cells are compared later. */
export async function compareTable(
  snapshot: ReadStoreSnapshot,
  expected: ExpectedRows,
  findings: AuditFindings,
  { tenant, onRows }: CompareOptions,
): Promise<ComparedTable> {
  const { check } = expected;
  const suspects: SuspectRow[] = [];
  const sums = new Map<string, number>();
  let more = 0;
  const [tenantAt, deltaAt] = [expected.columns.indexOf('tenant'), expected.columns.indexOf('credits_delta')];
  if (!(await hasItsColumns(snapshot, expected, findings))) return { expected, suspects, more, sums };
  const suspect = (key: string, cells: readonly unknown[] | undefined) => {
    if (suspects.length < mostSuspects) suspects.push({ key, cells });
    else more++;
  };
  for await (const page of snapshot.rows(expected.serving, expected.model, tenant)) {
    findings.checked(check, page.length);
    onRows(page.length);
    for (const cells of page) {
      const key = textOfKey(expected.keyOf(cells));
      if (!expected.take(key, cells)) suspect(key, cells);
      if (check === 'ledger') {
        const owner = String(cells[tenantAt]);
        sums.set(owner, (sums.get(owner) ?? 0) + Number(cells[deltaAt]));
      }
    }
  }
  for (const missing of expected.keys) {
    findings.checked(check);
    suspect(missing, undefined);
  }
  return { expected, suspects, more, sums };
}

/**
 * A column that the audit does not know belongs to another release, and is not compared. If a known column is
 * missing, the table cannot be compared.
 */
async function hasItsColumns(
  snapshot: ReadStoreSnapshot,
  { check, serving, table, columns }: ExpectedRows,
  findings: AuditFindings,
): Promise<boolean> {
  const actual = await snapshot.columnsOf(serving);
  const missing = columns.filter((name) => !actual.includes(name));
  for (const column of actual.filter((name) => !columns.includes(name))) {
    findings.note(`${table} has a column that this release does not know, and did not compare: ${column}`);
  }
  for (const column of missing) {
    const message = 'a column is missing: the table was not compared';
    findings.wrong({ check, message, table, column, expected: column, found: null });
  }
  return missing.length === 0;
}
