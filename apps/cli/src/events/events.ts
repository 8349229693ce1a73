import type { Environment } from '#domain/streams.js';
import type { EventFilter, RecordedEvent } from '#event-store/event-store.js';
import { Operator } from '../operator.js';
import { printJson, printJsonLine, printLine, printTable } from '../output.js';
import { checkStreamName, environmentsOf, noSuchStream } from '../places.js';
import type { EnvironmentOptions, OutputOptions } from '../verb.js';

export interface ShowEventsOptions extends OutputOptions {
  readonly from: number;
  readonly limit: number;
}

export async function showEvents(stream: string, { from, limit, json }: ShowEventsOptions): Promise<void> {
  checkStreamName(stream);
  await using operator = await Operator.connect();
  const slice = await operator.store.readStream(stream, { from: BigInt(from), limit });
  if (slice.kind === 'stream-not-found') throw noSuchStream(stream);
  if (json) return printJson({ stream, events: slice.events.map(describeEvent) });
  printTable(slice.events, {
    revision: ({ revision }) => revision,
    type: ({ type }) => type,
    recorded: ({ metadata }) => metadata.recordedAt,
    actor: ({ metadata }) => metadata.actor,
    data: dataOf,
  });
}

export interface TailOptions extends EnvironmentOptions {
  /** Of stream names, with or without the environment before it. */
  readonly prefix?: readonly string[];
  readonly type?: readonly string[];
}

export async function tailEvents(options: TailOptions): Promise<void> {
  const ended = new AbortController();
  process.once('SIGINT', () => ended.abort());
  process.once('SIGTERM', () => ended.abort());
  await using operator = await Operator.connect();
  const head = await operator.store.head();
  if (!options.json && process.stderr.isTTY) process.stderr.write('Waiting for events; Ctrl-C ends.\n');
  const subscription = operator.store.subscribe({
    ...(head !== undefined && { after: head }),
    ...{ filter: filterOf(options), signal: ended.signal },
  });
  for await (const { events } of subscription) {
    for (const event of events) {
      const { position, stream, revision, type, metadata } = event;
      const { recordedAt, actor } = metadata;
      if (options.json) printJsonLine(describeEvent(event));
      else printLine([position, stream, revision, type, recordedAt, actor, dataOf(event)].join('  '));
    }
  }
}

function filterOf({ env, prefix, type }: TailOptions): EventFilter {
  return {
    ...(type ? { types: type } : {}),
    ...(env || prefix ? { streamPrefixes: streamPrefixes(env, prefix ?? ['']) } : {}),
  };
}

/** `job-` stands for `live.job-` and `test.job-`, or the one that --env names. */
export function streamPrefixes(env: Environment | undefined, prefixes: readonly string[]): string[] {
  return prefixes.flatMap((prefix) => {
    if (/^(?:live|test)\./.test(prefix)) return [prefix];
    return environmentsOf(env).map((environment) => `${environment}.${prefix}`);
  });
}

/** A stored event in the command's output. Positions go as text: they may exceed what a JSON number holds exactly. */
function describeEvent({ stream, revision, position, id, type, data, metadata }: RecordedEvent) {
  const { recordedAt, tenant, actor, requestId, causationId, schemaVersion, ...rest } = metadata;
  return {
    ...{ stream, revision: Number(revision), position: position.toString(), id, type },
    ...{ recorded_at: recordedAt, data },
    metadata: {
      ...{ tenant, actor, request_id: requestId, causation_id: causationId },
      ...{ schema_version: schemaVersion, ...rest },
    },
  };
}

const widestData = 100;

function dataOf({ data }: RecordedEvent): string {
  const text = JSON.stringify(data);
  return text.length > widestData ? `${text.slice(0, widestData - 1)}…` : text;
}
