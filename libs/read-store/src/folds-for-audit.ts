import type { FoldedRow, ReadModelFold } from '#audit/rows/read-model-fold.js';
import type { ColumnKind } from '#audit/rows/row-store.js';
import type { RecordedEvent } from '#event-store/event-store.js';
import { columnsOf } from './entity-table.js';
import { toProjectedEvent, type ProjectedEvent } from './projected-event.js';
import { keysOf, type ReadModel } from './read-model.js';

const kindOfType: Readonly<Record<string, ColumnKind>> = {
  ...{ text: 'text', integer: 'integer', timestamptz: 'time', jsonb: 'json' },
};

/** The tables of the read models, and the folds that projector and rebuild run, as the audit wants to be handed them. */
export function foldsForAudit(models: readonly ReadModel<object>[]): ReadModelFold[] {
  let last: { readonly recorded: RecordedEvent; readonly event: ProjectedEvent } | undefined;
  // Several read models are made of the same streams: each event is read once for all of them.
  const read = (recorded: RecordedEvent): ProjectedEvent => {
    if (last?.recorded !== recorded) last = { recorded, event: toProjectedEvent(recorded) };
    return last.event;
  };
  return models.map((model) => foldForAudit(model, read));
}

function foldForAudit(
  model: ReadModel<object>,
  read: (recorded: RecordedEvent) => ProjectedEvent,
): ReadModelFold {
  const { name, categories, rowPerEvent = false, keysSpanStreams = false, entity } = model;
  const columns = columnsOf(entity).map(({ column, property, type, primary }) => {
    const kind = kindOfType[type];
    if (!kind) throw new Error(`the audit cannot compare ${type}, the type of ${name}.${column}`);
    return { name: column, property, kind, primary };
  });
  const primary = columns.filter((column) => column.primary);
  return {
    ...{ name, categories, rowPerEvent, keysSpanStreams, keyColumns: primary.length },
    columns: [...primary, ...columns.filter((column) => !column.primary)],
    keysOf: (recorded) => keysOf(model, read(recorded)),
    // A row is an object of its entity's class, or one of the same form: its columns are its properties.
    evolve: (row, recorded, key) => model.evolve(row, read(recorded), key) as FoldedRow | undefined,
  };
}
