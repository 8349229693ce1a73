import type { Environment } from '#domain/streams.js';
import { listParkedStreams, type ParkedStream } from '#read-store/parked-events.js';
import { findConnections } from '../connections.js';
import { printJson, printLine, printTable } from '../output.js';
import type { OutputOptions } from '../verb.js';

export interface ListParkedOptions extends OutputOptions {
  readonly env?: Environment;
}

export async function listParked({ env, json }: ListParkedOptions): Promise<void> {
  const parked = await listParkedStreams(findConnections().databaseUrl, { environment: env });
  if (json) return printJson({ parked: parked.map(describeParked) });
  if (parked.length === 0) return printLine('Nothing is parked: the read models follow all streams.');
  printTable(
    ['env', 'read model', 'gen', 'stream', 'revision', 'event', 'waiting behind it', 'since', 'error'],
    parked.map((one) => [
      ...[one.environment, one.name, one.generation, one.stream, one.revision, one.type, one.waiting],
      ...[one.since.toISOString(), firstLine(one.error)],
    ]),
  );
}

/** `waiting` counts the events behind the one that cannot be folded. */
export function describeParked(one: ParkedStream) {
  return {
    env: one.environment,
    read_model: one.name,
    generation: one.generation,
    stream: one.stream,
    revision: Number(one.revision),
    position: one.position.toString(),
    type: one.type,
    error: one.error,
    waiting: one.waiting,
    since: one.since.toISOString(),
  };
}

export function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
