import { Operator } from '../operator.js';
import { printJson, printTable } from '../output.js';
import { checkStreamName, noSuchStream } from '../stream-argument.js';
import type { OutputOptions } from '../verb.js';
import { describeEvent, rowOf } from './described-event.js';

export interface ShowEventsOptions extends OutputOptions {
  readonly from: number;
  readonly limit: number;
}

export async function showEvents(stream: string, { from, limit, json }: ShowEventsOptions): Promise<void> {
  checkStreamName(stream);
  await using operator = Operator.connect();
  const slice = await operator.store.readStream(stream, { from: BigInt(from), limit });
  if (slice.kind === 'stream-not-found') throw noSuchStream(stream);
  if (json) printJson({ stream, events: slice.events.map(describeEvent) });
  else printTable(['revision', 'type', 'recorded', 'actor', 'data'], slice.events.map(rowOf));
}
