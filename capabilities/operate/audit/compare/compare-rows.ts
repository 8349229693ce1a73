import type { Environment } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import type { AuditedEvent, EventOrigin } from '../audited-event.js';
import { checkOfReadModel, type AuditFindings, type CheckName } from '../findings.js';
import { AuditedRows, type ReadModelFold } from '../rows/audited-rows.js';
import { moneyModels } from '../rows/money-models.js';
import { DigestRows, hashOfRowKey, hashText, none, type RowKey } from '../rows/row-store.js';
import type { ReadStoreSnapshot, ServingModel } from './read-store-snapshot.js';

/** A read model that serves, and the rows that it must have. */
export class ExpectedRows {
  readonly check: CheckName;
  /** `{environment}.{name}` */
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: DigestRows;
  /** Events of its streams that lie beyond its checkpoint. */
  beyond = 0;
  private readonly audited: AuditedRows;

  constructor(
    readonly model: ReadModelFold,
    readonly serving: ServingModel,
    store: EventStore,
  ) {
    this.check = checkOfReadModel(model.name);
    this.table = `${serving.environment}.${model.name}`;
    this.columns = model.columns.map(({ name }) => name);
    this.rows = new DigestRows(this.columns, moneyModels[model.name]?.slots ?? 0);
    this.audited = new AuditedRows(model, this.rows, store);
  }

  get environment(): Environment {
    return this.serving.environment;
  }

  apply(event: AuditedEvent): Promise<void> | undefined {
    if (this.shows(event)) return this.audited.apply(event);
    if (this.consumes(event)) this.beyond++;
    return undefined;
  }

  /** Whether the read model shows this event: it consumes the stream, and has reached the position. */
  shows(event: EventOrigin): boolean {
    return this.consumes(event) && this.hasPassed(event);
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
  readonly keyHash: string;
  /** As the table has it; undefined: it has none. */
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
  const { check, rows } = expected;
  const suspects: SuspectRow[] = [];
  const sums = new Map<string, number>();
  let more = 0;
  const [tenantAt, deltaAt] = [expected.columns.indexOf('tenant'), expected.columns.indexOf('credits_delta')];
  if (!(await hasItsColumns(snapshot, expected, findings))) return { expected, suspects, more, sums };
  const suspect = (keyHash: string, cells: readonly unknown[] | undefined) => {
    if (suspects.length < mostSuspects) suspects.push({ keyHash, cells });
    else more++;
  };
  for await (const page of snapshot.rows(expected.serving, expected.model, tenant)) {
    findings.checked(check, page.length);
    onRows(page.length);
    for (const cells of page) {
      const key = expected.keyOf(cells);
      const row = rows.find(key);
      if (row === none || !rows.meet(row, cells)) suspect(hashText(hashOfRowKey(key)), cells);
      if (check === 'ledger') {
        const owner = String(cells[tenantAt]);
        sums.set(owner, (sums.get(owner) ?? 0) + Number(cells[deltaAt]));
      }
    }
  }
  for (const missing of rows.missing()) {
    findings.checked(check);
    suspect(hashText(missing), undefined);
  }
  return { expected, suspects, more, sums };
}

/**
 * A column that the audit does not know is of another release, and is not compared. If a known column is missing, the
 * table cannot be compared.
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
