import type { ColumnKind, FoldedRow, ReadModelFold } from '../audit/rows/folded-rows.js';
import type { AuditedEvent } from '../audit/audited-event.js';
import { columnsOf, shapeOf } from '#read-store/entity-table.js';
import type { ProjectedEvent } from '#read-store/projected-event.js';
import { changesRows, type ReadModel } from '#read-store/read-model.js';

const kindOfType: Readonly<Record<string, ColumnKind>> = {
  text: 'text',
  integer: 'integer',
  timestamptz: 'time',
  jsonb: 'json',
};

/** The tables of the read models, and the folds of projector and rebuild, in the form that the audit takes. */
export function foldsForAudit(models: readonly ReadModel<object>[]): ReadModelFold[] {
  let last: { readonly audited: AuditedEvent; readonly event: ProjectedEvent } | undefined;
  // Several read models use the same streams, so each event is converted once for all of them.
  const read = (audited: AuditedEvent): ProjectedEvent => {
    if (last?.audited !== audited) last = { audited, event: projected(audited) };
    return last.event;
  };
  return models.map((model) => foldForAudit(model, read));
}

function projected({
  type,
  data,
  stream,
  category,
  streamId,
  position,
  recorded,
}: AuditedEvent): ProjectedEvent {
  const { id: eventId, revision, metadata } = recorded;
  // Type and data belong to one event; TypeScript loses that when they are taken apart.
  return { type, data, eventId, stream, category, streamId, revision, position, metadata } as ProjectedEvent;
}

function foldForAudit(
  model: ReadModel<object>,
  read: (event: AuditedEvent) => ProjectedEvent,
): ReadModelFold {
  const { name, version, categories, entity } = model;
  const { rowPerEvent = false, keysSpanStreams = false, rowsNeverChange = false } = model;
  const columns = columnsOf(entity).map(({ column, property, type, primary }) => {
    const kind = kindOfType[type];
    if (!kind) throw new Error(`the audit cannot compare ${type}, the type of ${name}.${column}`);
    return { name: column, property, kind, primary };
  });
  const primary = columns.filter((column) => column.primary);
  return {
    name,
    version,
    shape: shapeOf(model),
    categories,
    rowPerEvent,
    keysSpanStreams,
    rowsNeverChange,
    changesRows: (event) => changesRows(model, event),
    keyColumns: primary.length,
    columns: [...primary, ...columns.filter((column) => !column.primary)],
    keysOf: (event) => model.keysOf(read(event)),
    // A row is an object of its entity's class, or one of the same form: its columns are its properties.
    evolve: (row, event, key) => model.evolve(row, read(event), key) as FoldedRow | undefined,
  };
}
