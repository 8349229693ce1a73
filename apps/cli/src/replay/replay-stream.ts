import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { readForwards } from '#application/aggregate.js';
import { decode } from '#domain/stored-events.js';
import type { EventStore, RecordedEvent } from '#event-store/event-store.js';
import { Operator } from '../operator.js';
import { toJson } from '../output.js';
import { checkStreamName, happenedBy, noSuchStream } from '../places.js';
import { CliError, type OutputOptions } from '../verb.js';
import { foldOf, type Fold } from './folds.js';

export interface ReplayOptions extends OutputOptions {
  readonly at?: string;
}

interface Step {
  readonly revision: number;
  readonly type: string;
  readonly recorded_at: string;
  readonly state: Record<string, unknown>;
}

/**
 * Reads and folds; nothing is written, rendered or charged by it. Steps are printed as they are made, so that an
 * account with a long history needs no more memory than one with a short one.
 */
export async function replayStream(stream: string, { at, json }: ReplayOptions): Promise<void> {
  const fold = foldOf(checkStreamName(stream).category);
  if (!fold)
    throw new CliError(`${stream} has no state: "atelier events show ${stream}" lists what happened`);
  const isWanted = happenedBy(at);
  await using operator = await Operator.connect();
  const pages = replay(operator.store, stream, fold, isWanted);
  // What is wrong with the arguments shows at the first page: before anything is printed.
  const first = await pages.next();
  if (first.done) throw noSuchStream(stream);
  if (first.value.length === 0)
    throw new CliError(`${stream} did not exist yet at ${at}: its first event came later`);
  const text = (json ? asJson : asTable)(stream, fold, withFirst(first.value, pages));
  await pipeline(Readable.from(text, { highWaterMark: 1 }), process.stdout);
}

/** Nothing at all when there is no such stream; an empty page when its first event is not wanted. */
async function* replay(
  store: EventStore,
  stream: string,
  fold: Fold,
  isWanted: (event: RecordedEvent) => boolean,
): AsyncGenerator<readonly Step[], void> {
  for await (const events of readForwards(store, stream, 0n)) {
    const steps: Step[] = [];
    for (const event of events) {
      if (!isWanted(event)) break;
      fold.apply(decode(event));
      const { revision, type, metadata } = event;
      const state = fold.summary();
      steps.push({ revision: Number(revision), type, recorded_at: metadata.recordedAt, state });
    }
    yield steps;
    if (steps.length < events.length) return;
  }
}

type Pages = AsyncIterable<readonly Step[]>;

async function* withFirst(first: readonly Step[], rest: Pages): Pages & AsyncGenerator<readonly Step[]> {
  yield first;
  yield* rest;
}

/** One object, its history a line a step. */
async function* asJson(stream: string, fold: Fold, pages: Pages): AsyncGenerator<string> {
  yield `{\n  "stream": ${JSON.stringify(stream)},\n  "history": [\n`;
  let last: Step | undefined;
  for await (const steps of pages) {
    const lines = steps.map((step, index) => (last || index > 0 ? ',\n' : '') + `    ${toJson(step)}`);
    last = steps.at(-1) ?? last;
    yield lines.join('');
  }
  yield `\n  ],\n  "revision": ${last?.revision},\n  "recorded_at": ${JSON.stringify(last?.recorded_at)},\n`;
  yield `  "state": ${toJson(fold.detail())}\n}\n`;
}

async function* asTable(_stream: string, fold: Fold, pages: Pages): AsyncGenerator<string> {
  yield row('revision', 'event', 'recorded', 'state afterwards');
  for await (const steps of pages) {
    const rows = steps.map(({ revision, type, recorded_at, state }) =>
      row(String(revision), type, recorded_at, inWords(state)),
    );
    yield rows.join('');
  }
  yield `\n${toJson(fold.detail(), 2)}\n`;
}

/** The widths are those of the longest that may come: how long those of this stream are is known at its end only. */
function row(revision: string, type: string, recordedAt: string, state: string): string {
  return `${revision.padEnd(10)}${type.padEnd(20)}${recordedAt.padEnd(26)}${state}\n`;
}

function inWords(state: Record<string, unknown>): string {
  return Object.entries(state)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ');
}
