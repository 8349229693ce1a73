import { readForwards } from '#application/aggregate.js';
import { decode } from '#domain/stored-events.js';
import type { EventStore, RecordedEvent } from '#event-store/event-store.js';
import { CliError } from '../cli-error.js';
import { Operator } from '../operator.js';
import { printJson, printLine, printTable } from '../output.js';
import { checkStreamName, noSuchStream } from '../stream-argument.js';
import type { OutputOptions } from '../verb.js';
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

/** Reads and folds; nothing is written, rendered or charged by it. */
export async function replayStream(stream: string, { at, json }: ReplayOptions): Promise<void> {
  const fold = foldOf(checkStreamName(stream).category);
  if (!fold)
    throw new CliError(`${stream} has no state: "atelier events show ${stream}" lists what happened`);
  const isWanted = until(at);
  await using operator = Operator.connect();
  const steps = await replay(operator.store, stream, fold, isWanted);
  if (!steps) throw noSuchStream(stream);
  const last = steps.at(-1);
  if (!last) throw new CliError(`${stream} did not exist yet at ${at}: its first event came later`);

  if (json) {
    printJson({
      stream,
      revision: last.revision,
      recorded_at: last.recorded_at,
      state: fold.detail(),
      history: steps,
    });
    return;
  }
  printTable(
    ['revision', 'event', 'recorded', 'state afterwards'],
    steps.map((step) => [step.revision, step.type, step.recorded_at, inWords(step.state)]),
  );
  printLine();
  printLine(JSON.stringify(fold.detail(), null, 2));
}

/** Undefined when there is no such stream. */
async function replay(
  store: EventStore,
  stream: string,
  fold: Fold,
  isWanted: (event: RecordedEvent) => boolean,
): Promise<Step[] | undefined> {
  let steps: Step[] | undefined;
  for await (const events of readForwards(store, stream, 0n)) {
    steps ??= [];
    for (const event of events) {
      if (!isWanted(event)) return steps;
      fold.apply(decode(event));
      const { revision, type, metadata } = event;
      steps.push({
        revision: Number(revision),
        type,
        recorded_at: metadata.recordedAt,
        state: fold.summary(),
      });
    }
  }
  return steps;
}

function until(at: string | undefined): (event: RecordedEvent) => boolean {
  if (at === undefined) return () => true;
  if (/^\d+$/.test(at)) return ({ revision }) => revision <= BigInt(at);
  const time = Date.parse(at);
  if (Number.isNaN(time))
    throw new CliError(
      `--at must be a revision or a time such as 2026-01-31T12:00:00Z, not ${JSON.stringify(at)}`,
    );
  return ({ metadata }) => Date.parse(metadata.recordedAt) <= time;
}

function inWords(state: Record<string, unknown>): string {
  return Object.entries(state)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ');
}
