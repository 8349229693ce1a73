import { readForwards } from '#application/aggregate.js';
import { evolveAccount, initialAccount, type Account, type OpenedAccount } from '#domain/account/account.js';
import { evolveAsset, initialAsset } from '#domain/asset/asset.js';
import { evolveGrant, initialGrant } from '#domain/grant/grant.js';
import { attemptOf, evolveJob, initialJob } from '#domain/job/job.js';
import { evolveKey, initialKey } from '#domain/key/key.js';
import { evolveOperation, initialOperation } from '#domain/operation/operation.js';
import { evolvePreset, initialPreset } from '#domain/preset/preset.js';
import { evolveProduct, initialProduct } from '#domain/product/product.js';
import { installed } from '#capabilities/installed.js';
import { decode } from '#domain/stored-events.js';
import type { StreamCategory } from '#domain/streams.js';
import type { EventStore, RecordedEvent } from '#event-store/event-store.js';
import { TextField } from '#validation/fields.js';
import { defineCall, type AsJson } from '#operator-calls/call.js';
import { printPieces } from '#operator-calls/lines.js';
import { toJson } from '#operator-calls/output.js';
import { checkStreamName, happenedBy, noSuchStream } from '../log-reading.js';
import { CallRefused } from '#operator-calls/call-refused.js';
import { replayed, type ReplayedFold, type View } from '#operator-calls/replayed-fold.js';

class ReplayedStream {
  @TextField({
    description:
      'An account, job, key, asset, product, preset or operation, for example `test.account-01J…`.',
    min: 1,
    max: 200,
    required: true,
  })
  stream: string;

  @TextField({ description: 'Stop there: a revision, or a time.', min: 1, max: 40 })
  at?: string;
}

interface Step {
  readonly revision: number;
  readonly type: string;
  readonly recorded_at: string;
  /** In short, after this event. */
  readonly state: Record<string, unknown>;
}

/** The last line, with the whole state. */
interface Detail {
  readonly detail: Record<string, unknown>;
}

/**
 * Reads and folds; it writes, renders and charges nothing. It returns each step once it is made, so that a long
 * history needs no more memory than a short one.
 */
export const replayStream = defineCall({
  name: 'replay',
  route: 'GET /streams/:stream/replay',
  may: ['read'],
  summary: 'The state that a stream folds into, after each of its events',
  input: ReplayedStream,
  lines: [],
  async run({ store }, { stream, at }) {
    const fold = await foldOf(checkStreamName(stream).category);
    if (!fold)
      throw new CallRefused(`${stream} has no state: "atelier events show ${stream}" lists what happened`);
    const pages = replay(store, stream, fold, happenedBy(at));
    // Wrong arguments show at the first page, before any of the answer is sent.
    const first = await pages.next();
    if (first.done) throw noSuchStream(stream);
    if (first.value.length === 0)
      throw new CallRefused(
        `${stream} did not exist yet at ${at}: its first event came later`,
        'RESOURCE_NOT_FOUND',
      );
    return stepsOf(first.value, pages, fold);
  },
  print: (steps, { stream }, { json }) => printPieces(json ? asJson(stream, steps) : asTable(steps)),
});

async function* stepsOf(
  first: readonly Step[],
  rest: AsyncIterable<readonly Step[]>,
  fold: ReplayedFold,
): AsyncGenerator<Step | Detail, void> {
  yield* first;
  for await (const steps of rest) yield* steps;
  yield { detail: fold.detail() };
}

/** Yields no page if there is no such stream, and an empty page if its first event is not wanted. */
async function* replay(
  store: EventStore,
  stream: string,
  fold: ReplayedFold,
  isWanted: (event: RecordedEvent) => boolean,
): AsyncGenerator<readonly Step[], void> {
  for await (const events of readForwards(store, stream, 0n, { unprovenToo: true })) {
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

type Steps = AsyncIterable<AsJson<Step> | AsJson<Detail>>;

/** One JSON object, with one line for each step of its history. */
async function* asJson(stream: string, steps: Steps): AsyncGenerator<string> {
  yield `{\n  "stream": ${JSON.stringify(stream)},\n  "history": [\n`;
  let last: AsJson<Step> | undefined;
  for await (const step of steps) {
    if ('detail' in step) {
      yield `\n  ],\n  "revision": ${last?.revision},\n  "recorded_at": ${JSON.stringify(last?.recorded_at)},\n`;
      yield `  "state": ${toJson(step.detail)}\n}\n`;
      return;
    }
    yield `${last ? ',\n' : ''}    ${toJson(step)}`;
    last = step;
  }
}

async function* asTable(steps: Steps): AsyncGenerator<string> {
  yield row('revision', 'event', 'recorded', 'state afterwards');
  for await (const step of steps)
    if ('detail' in step) yield `\n${toJson(step.detail, 2)}\n`;
    else yield row(String(step.revision), step.type, step.recorded_at, inWords(step.state));
}

/**
 * The columns are as wide as the longest possible values: the widths in this stream are only known at its end.
 */
function row(revision: string, type: string, recordedAt: string, state: string): string {
  return `${revision.padEnd(10)}${type.padEnd(20)}${recordedAt.padEnd(26)}${state}\n`;
}

function inWords(state: Record<string, unknown>): string {
  return Object.entries(state)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ');
}

/** Undefined for streams that are a list of facts and fold into nothing. */
export async function foldOf(category: StreamCategory): Promise<ReplayedFold | undefined> {
  for (const { folds } of installed) {
    const make = await folds?.[category]?.();
    if (make) return make();
  }
  return foldOfKernel(category);
}

function foldOfKernel(category: string): ReplayedFold | undefined {
  switch (category) {
    case 'account':
      return replayed(initialAccount, evolveAccount, summariseAccount, (state) =>
        state.status === 'unopened'
          ? { ...state }
          : { ...summariseAccount(state), open_charges: listCharges(state) },
      );
    case 'job':
      return replayed(initialJob, evolveJob, (state) => ({
        status: state.status,
        attempt: attemptOf(state),
      }));
    case 'key':
      return replayed(initialKey, evolveKey, ({ status }) => ({ status }));
    case 'asset':
      return replayed(initialAsset, evolveAsset, (state) => ({
        content_type: state?.contentType,
        size_bytes: state?.sizeBytes,
      }));
    case 'product':
      return replayed(initialProduct, evolveProduct, (state) =>
        state.status === 'unregistered' || state.status === 'reference'
          ? { ...state }
          : { status: state.status, title: state.title, images: state.images.length },
      );
    case 'preset':
      return replayed(initialPreset, evolvePreset, (state) =>
        state.status === 'unpublished'
          ? { status: state.status }
          : { status: state.status, kind: state.preset.kind, label: state.preset.label },
      );
    case 'operation':
      return replayed(initialOperation, evolveOperation, (state) => ({ ...state }));
    case 'grant':
      return replayed(initialGrant, evolveGrant, ({ status }) => ({ status }));
    default:
      return undefined;
  }
}

function summariseAccount(state: Account): View {
  if (state.status === 'unopened') return { status: state.status };
  const open = state.charges.entries();
  return {
    status: state.status,
    balance: state.balance,
    open_charges: open.length,
    open_credits: open.reduce((sum, [, { amount }]) => sum + amount, 0),
    spent_in_window: state.spentInWindow,
    window_started_at: state.windowStartedAt,
    name: state.name,
    plan: state.terms.plan,
  };
}

function listCharges({ charges }: OpenedAccount) {
  return charges
    .entries()
    .map(([chargeId, { jobId, amount, at }]) => ({ charge_id: chargeId, job_id: jobId, amount, at }));
}
