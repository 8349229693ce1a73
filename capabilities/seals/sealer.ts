import type { CommandBus } from '@nestjs/cqrs';
import { ownEvents } from '#event-store/own-events.js';
import {
  UnprovenEvent,
  type EventStore,
  type RecordedEvent,
  type SubscriptionBatch,
} from '#event-store/event-store.js';
import {
  placeInSeal,
  readChainEnd,
  sealedLeaf,
  type ChainEnd,
  type Seal,
  type SealedRange,
  type StoredSeal,
} from './seal.js';
import type { Clock } from '#platform/clock.js';
import { pause } from '#platform/retry.js';
import type { SealKey } from './seal.key.js';
import { SealRange } from './seal-range.handler.js';

export interface SealerOptions {
  readonly store: EventStore;
  readonly commands: CommandBus;
  readonly key: SealKey;
  readonly clock: Clock;
  /**
   * Called with the end of the chain before it is continued.
   * @throws SealingRefused if it must not be continued
   */
  readonly onBegin?: (end: ChainEnd) => Promise<void>;
  /** Called with each written seal, before the next one is made. */
  readonly onSealed?: (seal: StoredSeal) => void | Promise<void>;
  /** How long a range stays open for more events while they come one by one. Default 400 ms. */
  readonly openMs?: number;
  /** Number of events that are read together, and about the most that a range has. Default 4,096. */
  readonly batchSize?: number;
  /**
   * Resolves after this many milliseconds, or when the signal aborts. Default: by the clock of the computer.
   */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/**
 * More seals would hide what happened to the log or to the chain. A person has to look, and to start the sealer
 * again.
 */
export class SealingRefused extends Error {
  override readonly name = 'SealingRefused';
}

/**
 * Seals the log as it grows, range after range, until the signal aborts. Its checkpoint is the chain itself: a
 * seal names the last event that it covers, and that event's stream gives its place in this store. So nothing
 * can be sealed twice or left out, even if other databases are lost or altered. Any number of sealers may run:
 * if two continue the chain at one place, the expected revision refuses one.
 *
 * - behind: it reads page after page, and each page is a range.
 * - at the end of the log: the first event opens a range, which takes in the events that come within `openMs`.
 *
 * @throws SealingRefused, and what the store throws: called again, it goes on behind the last seal
 */
export async function sealLog(options: SealerOptions, signal: AbortSignal): Promise<void> {
  let known: Seal | undefined;
  while (!signal.aborted) {
    const end = await readChainEnd(options.store);
    refuseOtherKey(options.key, end);
    if (known && (end.seal?.chain !== known.chain || end.seal.number < known.number))
      throw new SealingRefused(
        `this process wrote seal ${known.number}, and it is not in the log any more: compare the log with a kept seal ("atelier ledger audit --against FILE")`,
      );
    await options.onBegin?.(end);
    known = await sealAfter(end, options, signal);
  }
}

/** @returns the last seal that it knows, once another process has continued the chain or the signal aborts */
async function sealAfter(
  end: ChainEnd,
  { store, commands, key, clock, onSealed, openMs = 400, batchSize = 4_096, wait = pause }: SealerOptions,
  signal: AbortSignal,
): Promise<Seal | undefined> {
  const after = end.seal && (await positionOfLast(store, end.seal));
  const left = new AbortController();
  const until = AbortSignal.any([signal, left.signal]);
  const start = { filter: ownEvents, batchSize, unprovenToo: true, signal: until };
  const subscription = store.subscribe(after === undefined ? start : { ...start, after });
  const batches = subscription[Symbol.asyncIterator]();
  try {
    for (let coming = batches.next(); ;) {
      const { done, value: batch } = await coming;
      if (done) return end.seal;
      const events = [...batch.events];
      const isOpen = batch.caughtUp && events.length > 0;
      if (isOpen) await wait(openMs, signal);
      coming = nextOf(batches);
      // Events that came meanwhile are available at once.
      const more = isOpen ? await Promise.race([coming, wait(0, signal)]) : undefined;
      if (isBatch(more)) {
        events.push(...more.value.events);
        coming = nextOf(batches);
      }
      if (signal.aborted) return end.seal;
      if (events.length === 0) continue;
      refuseUnproven(events);
      const sealed = await commands.execute(new SealRange(rangeOf(events), end, key, clock()));
      if (sealed.kind === 'overtaken') return end.seal;
      ({ end } = sealed);
      await onSealed?.(sealed.end.seal);
    }
  } finally {
    left.abort();
    await batches.return?.();
  }
}

function isBatch(answer: unknown): answer is IteratorYieldResult<SubscriptionBatch> {
  return typeof answer === 'object' && (answer as IteratorResult<unknown>).done === false;
}

/** Starts the read before its result is needed, so that a page is read while the one before is being sealed. */
function nextOf<T>(iterator: AsyncIterator<T>): Promise<IteratorResult<T>> {
  const coming = iterator.next();
  coming.catch(() => undefined);
  return coming;
}

function rangeOf(events: readonly RecordedEvent[]): SealedRange {
  // A range is never empty.
  const [first, last] = [events[0]!, events.at(-1)!];
  return { first: placeInSeal(first), last: placeInSeal(last), leaves: events.map(sealedLeaf) };
}

/** A seal states that these events are the service's history. */
function refuseUnproven(events: readonly RecordedEvent[]): void {
  const forged = events.find(({ unproven }) => unproven !== undefined);
  if (!forged) return;
  const { message } = new UnprovenEvent(forged);
  throw new SealingRefused(
    `${message}, so neither it nor any later event is sealed: run "atelier ledger audit", and restore the log from a backup (docs/seals.md)`,
  );
}

async function positionOfLast(store: EventStore, { number, last }: Seal): Promise<bigint> {
  const slice = await store.readStream(last.stream, {
    from: BigInt(last.revision),
    limit: 1,
    unprovenToo: true,
  });
  const [event] = slice.kind === 'found' ? slice.events : [];
  if (event && placeInSeal(event).id === last.id) return event.position;
  throw new SealingRefused(
    `seal ${number} ends with ${last.stream} at revision ${last.revision}, which is not in the log as it was sealed: run "atelier ledger audit"`,
  );
}

function refuseOtherKey({ publicKey, succession }: SealKey, { seal }: ChainEnd): void {
  if (!seal || seal.key === publicKey || succession?.of === seal.key) return;
  throw new SealingRefused(
    `the log is sealed with the key ${seal.key}, and this process was given ${publicKey}: give it that key, or one that "atelier seal rotate" makes`,
  );
}
