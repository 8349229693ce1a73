import { columnsOf } from '#read-store/entity-table.js';
import type { ProjectedEvent } from '#read-store/projected-event.js';
import type { ReadModel } from '#read-store/read-model.js';
import { readModels } from '#projections/read-models.js';

export type Rows = ReadonlyMap<string, object>;

/** The changes of a batch to the tables, by model and key; undefined deletes a row. */
export type Changes = ReadonlyMap<string, ReadonlyMap<string, object | undefined>>;

const ofMoney = ['account', 'job', 'asset', 'usage'];
const ofPersons = ['product', 'erasure', 'hold', 'release', 'consent'];
const simulatedCategories = [...ofMoney, ...ofPersons];

/** The models whose streams the simulation writes. */
export const simulatedModels: readonly ReadModel<object>[] = readModels.filter(({ categories }) =>
  categories.some((category) => simulatedCategories.includes(category)),
);

/** The tables of the read models: rows, keyed by the text of their key. */
export class Tables {
  private readonly tables = new Map<string, Map<string, object>>(
    simulatedModels.map(({ name }) => [name, new Map()]),
  );
  /** The position up to which the log is folded. */
  position = 0n;

  rowsOf(model: string): Rows {
    return this.tables.get(model) ?? new Map<string, object>();
  }

  clear(): void {
    for (const table of this.tables.values()) table.clear();
    this.position = 0n;
  }

  /** Runs the real read models' folds on the current rows. Writes nothing. */
  fold(events: readonly ProjectedEvent[]): Changes {
    const changes = new Map<string, Map<string, object | undefined>>();
    for (const model of simulatedModels) {
      const after = new Map<string, object | undefined>();
      const rows = this.rowsOf(model.name);
      for (const event of events) {
        if (!model.categories.includes(event.category)) continue;
        for (const key of model.keysOf(event)) {
          const id = JSON.stringify(key);
          after.set(id, model.evolve(after.has(id) ? after.get(id) : rows.get(id), event, key));
        }
      }
      changes.set(model.name, after);
    }
    return changes;
  }

  apply(changes: Changes, position: bigint): void {
    for (const [model, rows] of changes) {
      const table = this.tables.get(model);
      for (const [id, row] of rows) {
        if (row) table?.set(id, row);
        else table?.delete(id);
      }
    }
    this.position = position;
  }
}

const columns = new Map(
  simulatedModels.map((model) => [model.name, columnsOf(model.entity).map(({ property }) => property)]),
);

/** The text of a row with only the columns of its table, for comparison. */
export function columnsOnly(model: ReadModel<object>, row: object | undefined): string {
  if (!row) return 'no row';
  const fields = row as Record<string, unknown>;
  return JSON.stringify(columns.get(model.name)?.map((property) => [property, fields[property]]));
}
