import type { RecordedEvent } from '#event-store/event-store.js';
import type { Cell } from '../output.js';

/** A stored event in the command's output. Positions go as text: they may exceed what a JSON number holds exactly. */
export function describeEvent({ stream, revision, position, id, type, data, metadata }: RecordedEvent) {
  const { recordedAt, tenant, actor, requestId, causationId, schemaVersion, ...rest } = metadata;
  return {
    stream,
    revision: Number(revision),
    position: position.toString(),
    id,
    type,
    recorded_at: recordedAt,
    data,
    metadata: {
      tenant,
      actor,
      request_id: requestId,
      causation_id: causationId,
      schema_version: schemaVersion,
      ...rest,
    },
  };
}

const widestData = 100;

export function rowOf({ revision, type, data, metadata }: RecordedEvent): Cell[] {
  const text = JSON.stringify(data);
  const shown = text.length > widestData ? `${text.slice(0, widestData - 1)}…` : text;
  return [revision, type, metadata.recordedAt, metadata.actor, shown];
}
