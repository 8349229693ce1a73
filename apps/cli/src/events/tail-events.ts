import { environments, type Environment } from '#domain/streams.js';
import type { EventFilter } from '#event-store/event-store.js';
import { Operator } from '../operator.js';
import { printJsonLine, printLine } from '../output.js';
import type { OutputOptions } from '../verb.js';
import { describeEvent, rowOf } from './described-event.js';

export interface TailOptions extends OutputOptions {
  readonly env?: Environment;
  /** Of stream names, with or without the environment before it. */
  readonly prefix?: readonly string[];
  readonly type?: readonly string[];
}

export async function tailEvents(options: TailOptions): Promise<void> {
  const ended = new AbortController();
  process.once('SIGINT', () => ended.abort());
  process.once('SIGTERM', () => ended.abort());
  await using operator = Operator.connect();
  const head = await operator.store.head();
  const after = head === undefined ? {} : { after: head };
  if (!options.json && process.stderr.isTTY) process.stderr.write('Waiting for events; Ctrl-C ends.\n');
  const subscription = operator.store.subscribe({
    ...after,
    filter: filterOf(options),
    signal: ended.signal,
  });
  for await (const { events } of subscription) {
    for (const event of events) {
      if (options.json) printJsonLine(describeEvent(event));
      else printLine([event.position, event.stream, ...rowOf(event)].join('  '));
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
    return (env ? [env] : environments).map((environment) => `${environment}.${prefix}`);
  });
}
