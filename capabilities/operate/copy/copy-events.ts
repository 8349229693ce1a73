import { copiesOfCapabilities, logStreams } from '#capabilities/parts.js';
import { retry } from '#platform/retry.js';
import { ownEvents } from '#event-store/own-events.js';
import {
  AppendOutcomeUnknown,
  DuplicateEventId,
  EventStoreUnavailable,
  passes,
  type EventStore,
  type RecordedEvent,
} from '#event-store/event-store.js';
import { adoptionStream } from '#event-store/authentic/adopted-history.js';
import type { EventMacs } from '#event-store/authentic/event-macs.js';
import type { HistorySealer } from '#event-store/history-sealer.js';
import { planWaves, type PlannedAppend } from './plan-waves.js';
import {
  CopyRefused,
  canonicalJson,
  StreamDigests,
  type Difference,
  type LogFigures,
  type Stretch,
  walkLog,
  type Walk,
} from '#event-store/walk-log.js';

/**
 * - `comparing`: the events in the target are compared with the source. Skipped for an empty target.
 * - `copying`: the missing events are appended.
 * - `verifying`: the target is read from its beginning and compared with the events from the source.
 */
export type CopyPhase = 'comparing' | 'copying' | 'verifying';

export interface CopyProgress {
  readonly phase: CopyPhase;
  /**
   * The position in the log that is being read. The phase reads from `from` through `through`; positions may
   * have gaps.
   */
  readonly position: bigint;
  readonly from: bigint;
  readonly through: bigint;
  /** Events of this phase so far. */
  readonly events: number;
}

export interface CopyOptions {
  /** If the source was opened with the key, an event that the service did not write ends the copy. */
  readonly source: EventStore;
  /** Opened without the key, so that each event keeps its own proof. */
  readonly target: EventStore;
  /** Used to count the events without a proof of their own. Absent: they are not counted. */
  readonly macs?: EventMacs | undefined;
  /**
   * Encrypts the personal words that the source has as plain text. Then the copy compares what events mean. Absent: every
   * event stays as it is stored, byte for byte.
   */
  readonly sealer?: HistorySealer | undefined;
  /** Ends the copy between two appends; the next run goes on from there. */
  readonly signal: AbortSignal;
  onProgress?(progress: CopyProgress): void;
}

export interface CopyResult {
  /** Both hold the same events at the same revisions. */
  readonly verified: boolean;
  /** Events that this run appended. */
  readonly copied: number;
  readonly source: LogFigures;
  readonly target: LogFigures;
  /** The first few streams that are not the same. */
  readonly differences: readonly Difference[];
  /** The source has grown since the copy began: another run copies the new events. */
  readonly sourceGrew: boolean;
  /** The source's head when the copy began, which is how far it goes. */
  readonly through: bigint | undefined;
  /** Events of the target without a MAC of the current key. The source has them from before an adoption. */
  readonly unproven: number;
  /** Events whose words this run encrypted. */
  readonly sealed: number;
}

/** Appends on their way at the same time. */
const maxInFlight = 256;
/** While the target is away, each append is tried this often; each try lasts until the store's own deadline. */
const maxTries = 5;
const pauseMs = 1_000;
const namedDifferences = 10;

/**
 * Copies the history of one store into another, up to the present head of the source: each event with its id,
 * type, data and metadata, at its revision. With a sealer, an event with plain words gets other bytes and a MAC of its
 * own, and reads the same. Streams about the log itself are left out. It can be stopped at any
 * moment and run again: each append names the revision that it expects, so there are no double events and no
 * gaps.
 *
 * Order in the target: {@link planWaves} orders the events of a stretch of at most 1,000 events; stretches
 * follow each other. An event is therefore never more than 1,000 places away from its place in the source, and
 * causes precede effects.
 * @throws CopyRefused, EventStoreError, the signal's reason
 */
export async function copyEvents(options: CopyOptions): Promise<CopyResult> {
  const { source, signal } = options;
  const through = await source.head();
  const walk = { through, signal };
  const there = await digestLog(options, 'comparing');
  const digests = new StreamDigests();
  const comparing = report(options, 'comparing', walk);
  const after = await findResumePoint(options, walk, digests, there, comparing);
  const copied = await copyAfter(options, { ...walk, after }, digests, there);
  const isOurs = passes(ownEvents);
  let unproven = 0;
  const found = await digestLog(options, 'verifying', (event) => {
    if (options.macs && isOurs(event) && options.macs.verdictOn(event) !== 'current') unproven += 1;
  });
  const [ours, theirs] = [digests.figures(), found.figures()];
  const verified = ours.sha256 === theirs.sha256 && ours.events === theirs.events;
  if (verified) for (const copies of await copiesOfCapabilities()) await copies.copied?.(options);
  return {
    verified,
    copied,
    source: ours,
    target: theirs,
    differences: digests.differences(found, namedDifferences),
    sourceGrew: await hasHistoryAfter(source, through),
    through,
    unproven,
    sealed: options.sealer?.count ?? 0,
  };
}

/** The texts by which both sides are compared. */
async function textsOf(
  { sealer }: Pick<CopyOptions, 'sealer'>,
  events: readonly RecordedEvent[],
): Promise<readonly (readonly [RecordedEvent, string])[]> {
  const texts = sealer ? await sealer.meanings(events) : events.map(canonicalJson);
  return events.map((event, index) => [event, texts[index]!] as const);
}

/**
 * The log without adoptions and without the streams of capabilities about it, such as seals. They hold for one
 * store only, because the target has other positions.
 */
async function* historyOf(store: EventStore, walk: Walk): AsyncGenerator<Stretch, void, void> {
  for await (const { events, position } of walkLog(store, walk))
    yield { events: events.filter(isHistory), position };
}

async function hasHistoryAfter(store: EventStore, position: bigint | undefined): Promise<boolean> {
  // Streams about the log, such as seals, may have grown behind the last event. The limit is higher than their
  // number, so a page includes what follows them.
  const next = await store.readAll({
    limit: 256,
    unprovenToo: true,
    ...(position !== undefined && { after: position }),
  });
  return next.some(isHistory);
}

function isHistory({ stream }: RecordedEvent): boolean {
  return !logStreams.has(stream) && stream !== adoptionStream;
}

async function copyAfter(
  options: CopyOptions,
  walk: Walk,
  digests: StreamDigests,
  there: StreamDigests,
): Promise<number> {
  const { source } = options;
  const copying = report(options, 'copying', walk);
  let copied = 0;
  for await (const { events, position } of historyOf(source, walk)) {
    const missing = [];
    for (const [event, text] of await textsOf(options, events)) {
      digests.absorb(event, text);
      if (Number(event.revision) < (there.of(event.stream)?.events ?? 0)) continue;
      missing.push({ event, bytes: Buffer.byteLength(text) });
    }
    for (const wave of planWaves(missing)) await appendAll(options, wave);
    copied += missing.length;
    copying(position, events.length);
  }
  return copied;
}

async function digestLog(
  options: CopyOptions,
  phase: CopyPhase,
  see: (event: RecordedEvent) => void = () => undefined,
): Promise<StreamDigests> {
  const { target, signal, sealer } = options;
  const digests = new StreamDigests();
  const walk = { through: await target.head(), signal };
  const reading = report(options, phase, walk);
  for await (const { events, position } of historyOf(target, walk)) {
    for (const event of events) {
      const objection = sealer?.objectionTo(event);
      if (objection !== undefined) throw notSealed(event, objection);
    }
    for (const [event, text] of await textsOf(options, events)) {
      digests.absorb(event, text);
      see(event);
    }
    reading(position, events.length);
  }
  return digests;
}

async function appendAll(options: CopyOptions, wave: readonly PlannedAppend[]) {
  for (let from = 0; from < wave.length; from += maxInFlight) {
    options.signal.throwIfAborted();
    const appends = wave.slice(from, from + maxInFlight);
    // Waits for all appends before it passes an error on, so that nothing is written after the caller has seen it.
    const ended = await Promise.allSettled(appends.map((append) => appendOne(options, append)));
    for (const each of ended) if (each.status === 'rejected') throw each.reason;
  }
}

async function appendOne({ target, signal, sealer }: CopyOptions, append: PlannedAppend): Promise<void> {
  const { stream, expected } = append;
  // Once, so that a repetition sends the same bytes.
  const events = sealer ? await sealer.seal(append) : append.events.map(toNewEvent);
  const mayPass = (error: unknown) =>
    error instanceof EventStoreUnavailable || error instanceof AppendOutcomeUnknown;
  const result = await retry(() => target.append(stream, expected, events), {
    signal,
    attempts: maxTries,
    firstPauseMs: pauseMs,
    longestPauseMs: pauseMs,
    mayPass,
  }).catch((error: unknown) => {
    throw error instanceof DuplicateEventId ? writtenByOthers(stream, error.message) : error;
  });
  if (result.outcome !== 'appended')
    throw writtenByOthers(stream, `it is at revision ${result.actual}, not ${expected}`);
}

function toNewEvent({ id, type, data, metadata }: RecordedEvent) {
  return { id, type, data, metadata };
}

function writtenByOthers(stream: string, detail: string): CopyRefused {
  return new CopyRefused(`another writer writes to the target: ${stream}: ${detail}`);
}

function notSealed({ stream, revision }: RecordedEvent, objection: string): CopyRefused {
  return new CopyRefused(
    `the target was not filled by a copy with --seal alone: revision ${revision} of ${stream} ${objection}. Copy into an empty store`,
  );
}

function report({ onProgress }: CopyOptions, phase: CopyPhase, { after, through }: Omit<Walk, 'signal'>) {
  const from = after ?? 0n;
  let events = 0;
  return (position: bigint, more: number): void => {
    events += more;
    onProgress?.({ phase, position, from, through: through ?? from, events });
  };
}

/**
 * How far an earlier copy came: the position in the source after which the first event is missing in the target. Reads
 * the source until it has found all events of the target, and adds them to `digests`.
 * @throws CopyRefused when the target holds an event that the source lacks; nothing has been written by then
 */
export async function findResumePoint(
  { source, sealer }: Pick<CopyOptions, 'source' | 'sealer'>,
  walk: Walk,
  digests: StreamDigests,
  target: StreamDigests,
  onPosition: (position: bigint, events: number) => void,
): Promise<bigint | undefined> {
  let unmatched = target.size;
  if (unmatched === 0) return undefined;
  let last: bigint | undefined;
  let firstMissing: { readonly after: bigint | undefined } | undefined;
  for await (const { events, position } of historyOf(source, walk)) {
    for (const [event, text] of await textsOf({ sealer }, events)) {
      const { stream, revision } = event;
      digests.absorb(event, text);
      const copied = target.of(stream);
      if (copied === undefined || Number(revision) >= copied.events) firstMissing ??= { after: last };
      else if (Number(revision) === copied.events - 1) {
        if (digests.of(stream)?.sha256 !== copied.sha256) throw differs(stream, copied.events);
        unmatched -= 1;
      }
      last = event.position;
      if (unmatched === 0) return firstMissing ? firstMissing.after : last;
    }
    onPosition(position, events.length);
  }
  throw holdsMore(digests, target);
}

function differs(stream: string, events: number): CopyRefused {
  return new CopyRefused(
    `the target holds another history: the first ${events} events of ${stream} are not those of the source. Nothing was written; copy into an empty store`,
  );
}

function holdsMore(source: StreamDigests, target: StreamDigests): CopyRefused {
  for (const stream of target.streamNames()) {
    const theirs = target.of(stream)?.events ?? 0;
    const ours = source.of(stream)?.events ?? 0;
    if (theirs > ours)
      return new CopyRefused(
        `the target holds other events: ${stream} has ${theirs} there and ${ours} in the source. Nothing was written; copy into an empty store`,
      );
  }
  return new CopyRefused('the target holds other events. Nothing was written; copy into an empty store');
}
