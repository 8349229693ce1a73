import type { Environment } from '#domain/streams.js';
import type { EventFilter, RecordedEvent } from '#event-store/event-store.js';
import { IntegerField, TextField } from '#validation/fields.js';
import { defineCall } from '#operator-calls/call.js';
import { ConnectedOperator } from '../connected-operator.js';
import { printLine, printTable, toJson } from '#operator-calls/output.js';
import { checkStreamName, noSuchStream } from '../log-reading.js';
import { environmentsOf } from '#operator-calls/input.js';
import type { EnvironmentOptions } from '#operator-calls/verb.js';

class PageOfStream {
  @TextField({
    description: 'Name of the stream, for example `test.job-01J…`.',
    min: 1,
    max: 200,
    required: true,
  })
  stream: string;

  @IntegerField({
    description: 'First revision to show.',
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    default: 0,
  })
  from: number = 0;

  @IntegerField({ description: 'Most events to show.', min: 1, max: 4_096, default: 100 })
  limit: number = 100;
}

export const showEvents = defineCall({
  name: 'events show',
  route: 'GET /streams/:stream/events',
  may: ['read'],
  summary: 'The events of one stream, as they are stored',
  input: PageOfStream,
  async run({ store }, { stream, from, limit }) {
    checkStreamName(stream);
    const slice = await store.readStream(stream, { from: BigInt(from), limit, unprovenToo: true });
    if (slice.kind === 'stream-not-found') throw noSuchStream(stream);
    return { stream, events: slice.events.map(describeEvent) };
  },
  print: ({ events }) =>
    printTable(events, {
      revision: ({ revision }) => revision,
      type: ({ type }) => type,
      recorded: (event) => event.recorded_at,
      actor: ({ metadata }) => metadata.actor,
      data: dataOf,
    }),
});

export interface TailOptions extends EnvironmentOptions {
  /** Prefixes of stream names, with or without the environment before them. */
  readonly prefix?: readonly string[];
  readonly type?: readonly string[];
}

export async function tailEvents(options: TailOptions): Promise<void> {
  const ended = new AbortController();
  process.once('SIGINT', () => ended.abort());
  process.once('SIGTERM', () => ended.abort());
  await using operator = await ConnectedOperator.connect();
  const head = await operator.store.head();
  if (!options.json && process.stderr.isTTY) process.stderr.write('Waiting for events; Ctrl-C ends.\n');
  const subscription = operator.store.subscribe({
    ...(head !== undefined && { after: head }),
    filter: filterOf(options),
    unprovenToo: true,
    signal: ended.signal,
  });
  for await (const { events } of subscription) {
    for (const event of events) {
      const { position, stream, revision, type, metadata } = event;
      const { recordedAt, actor } = metadata;
      if (options.json) printLine(toJson(describeEvent(event)));
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

/** `job-` stands for `live.job-` and `test.job-`, or only for the one in the environment that --env names. */
export function streamPrefixes(env: Environment | undefined, prefixes: readonly string[]): string[] {
  return prefixes.flatMap((prefix) => {
    if (/^(?:live|test)\./.test(prefix)) return [prefix];
    return environmentsOf(env).map((environment) => `${environment}.${prefix}`);
  });
}

/** A stored event in the command's output. Positions go as text: they may exceed what a JSON number holds exactly. */
function describeEvent(event: RecordedEvent) {
  const { stream, revision, position, id, type, data, metadata, unproven } = event;
  const { recordedAt, tenant, actor, requestId, causationId, schemaVersion, ...rest } = metadata;
  return {
    stream,
    revision: Number(revision),
    position: position.toString(),
    id,
    type,
    recorded_at: recordedAt,
    data,
    // Present only if nothing proves that this service wrote the event.
    ...(unproven !== undefined && { unproven }),
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

function dataOf({ data }: { readonly data: unknown }): string {
  const text = JSON.stringify(data);
  return text.length > widestData ? `${text.slice(0, widestData - 1)}…` : text;
}
