import type { CheckFindings } from '#operator-calls/history-audit.js';
import type { TrustedSeals } from '../../seal-chain.js';
import { SealedHistory } from '../../sealed-history.js';
import { SealRangeHandler } from '../../seal-range.handler.js';
import { sealLog, SealingRefused, type SealerOptions } from '../../sealer.js';
import type { RecordedEvent } from '#event-store/event-store.js';
import { sealStream } from '../../seal.events.js';
import type { StoredSeal } from '../../seal.js';
import { withSharedSubscriptions } from '#event-store/shared-subscriptions.js';
import { eventId } from '#platform/ids.js';
import { commandBusOf } from '../../../../test/support/command-bus.js';
import { sealKey } from '../support/sealing.js';
import { Scheduler, type Process } from '../../../../test/simulation/kernel/scheduler.js';
import { Network, networkFaults } from '../../../../test/simulation/store/network.js';
import { SimulatedEventStore } from '../../../../test/simulation/store/simulated-event-store.js';
import { SimulatedLog } from '../../../../test/simulation/store/simulated-log.js';
import { alterations, byTheOwner } from './alterations.js';

/** The parts that sealing is put together from. A planted bug replaces one of them. */
export interface SealingWiring {
  /** @param start how often this sealer was started before */
  sealer(options: SealerOptions, start: number): SealerOptions;
  trusted(trusted: TrustedSeals): TrustedSeals;
}

export const soundSealing: SealingWiring = {
  sealer: (options) => options,
  trusted: (trusted) => trusted,
};

export interface SealedRun {
  /** The first rule that was broken; undefined: everything held. */
  readonly violation: string | undefined;
  readonly seals: number;
  /** How many of the sealers have written any of the seals. */
  readonly sealers: number;
}

const streams = ['test.account-a', 'test.account-b', 'test.job-j', 'live.key-k'];
const actions = 70;

/**
 * Two sealers follow one log, side by side, while it grows and every possible fault of a process and its
 * network happens. Then everything comes to rest. The seals must fit the log, and they must show every
 * alteration of the log.
 */
export async function simulateSealing(
  seed: number,
  wiring: SealingWiring = soundSealing,
): Promise<SealedRun> {
  const scheduler = new Scheduler();
  scheduler.reseed(seed);
  const log = new SimulatedLog();
  const writer: Process = { name: 'writer', state: 'running', silentSince: undefined };
  const sealers = ['sealer-1', 'sealer-2'].map((name) => new Sealer(name, scheduler, log, wiring));
  for (const sealer of sealers) sealer.start();
  const writing = new SimulatedEventStore({ log, scheduler, process: writer, network: new Network() });
  for (let done = 0; done < actions; done++) {
    const sealer = sealers[scheduler.choose(2)]!;
    switch (scheduler.choose(8)) {
      case 0:
        sealer.crash();
        break;
      case 1:
        sealer.start();
        break;
      case 2:
        sealer.network.arm(networkFaults[scheduler.choose(networkFaults.length)]!);
        break;
      case 3:
        scheduler.advance(500);
        break;
      default:
        void append(writing, scheduler, done);
    }
    for (let turns = scheduler.choose(12); turns > 0; turns--) await scheduler.step();
  }
  for (const sealer of sealers) {
    sealer.network.disarm();
    sealer.start();
  }
  const rested = await comeToRest(scheduler);
  for (const sealer of sealers) scheduler.kill(sealer.process);
  const seals = (log.streamOf(sealStream) ?? []).length;
  const refused = sealers.find(({ refusal }) => refusal)?.refusal;
  const violation = !rested
    ? '13: sealing never comes to rest'
    : refused === undefined
      ? await judge(log.events, wiring, scheduler.now)
      : `13: a sealer refuses a log that nobody altered: ${refused}`;
  return { violation, seals, sealers: sealers.filter(({ sealed }) => sealed > 0).length };
}

class Sealer {
  readonly network = new Network();
  process: Process;
  refusal: string | undefined;
  sealed = 0;
  private starts = 0;

  constructor(
    name: string,
    private readonly scheduler: Scheduler,
    private readonly log: SimulatedLog,
    private readonly wiring: SealingWiring,
  ) {
    this.process = { name, state: 'dead', silentSince: undefined };
  }

  crash(): void {
    this.scheduler.kill(this.process);
  }

  start(): void {
    if (this.process.state !== 'dead') return;
    this.process = { name: this.process.name, state: 'running', silentSince: undefined };
    void this.run(this.process, this.starts++);
  }

  /** Like a projector, it tries again after a failure. */
  private async run(process: Process, start: number): Promise<void> {
    const { scheduler, log, network } = this;
    const client = new SimulatedEventStore({ log, scheduler, process, network, largestBatch: 6 });
    const store = withSharedSubscriptions(client, { maxEvents: 12 });
    const options = this.wiring.sealer(
      {
        store,
        commands: commandBusOf([new SealRangeHandler(store)]),
        key: sealKey,
        batchSize: 6,
        clock: () => new Date(scheduler.now),
        onSealed: () => void this.sealed++,
        wait: (ms, signal) => scheduler.after(process, ms, signal),
      },
      start,
    );
    while (this.refusal === undefined) {
      try {
        await sealLog(options, new AbortController().signal);
      } catch (error) {
        if (error instanceof SealingRefused) this.refusal = error.message;
        await scheduler.after(process, 100);
      }
    }
  }
}

async function append(store: SimulatedEventStore, scheduler: Scheduler, number: number): Promise<void> {
  const stream = streams[scheduler.choose(streams.length)]!;
  const recordedAt = new Date(scheduler.now).toISOString();
  const metadata = { requestId: 'r', causationId: 'c', tenant: 't', actor: 'operator', schemaVersion: 1 };
  const events = Array.from({ length: 1 + scheduler.choose(3) }, (_, index) => ({
    id: eventId(`event ${number}`, index),
    type: 'CreditsPurchased',
    data: { amount: 10 + number, at: recordedAt },
    metadata: { ...metadata, recordedAt },
  }));
  await store.append(stream, 'any', events);
}

/** False if it goes on for ever. */
async function comeToRest(scheduler: Scheduler): Promise<boolean> {
  for (let turns = 0; turns < 5_000; turns++) {
    if (await scheduler.step()) continue;
    const due = scheduler.nextDueAt;
    if (due === undefined) return true;
    scheduler.advance(due - scheduler.now);
  }
  return false;
}

/** The unaltered log must hold, and no altered log may. */
async function judge(
  events: readonly RecordedEvent[],
  wiring: SealingWiring,
  now: number,
): Promise<string | undefined> {
  const kept = events.filter(({ stream }) => stream === sealStream).map(({ data }) => data as StoredSeal);
  const keys = [sealKey.publicKey];
  const honest = await findingsIn(events, wiring.trusted({ keys, kept }), now);
  if (honest.length > 0) return `13: ${honest[0]}`;
  for (const [what, alter] of Object.entries(alterations)) {
    const altered = alter(events);
    if (altered === undefined) continue;
    // One kept seal is enough to find an alteration by the key's owner. For all others the key alone is enough.
    const trusted = { keys, kept: what === byTheOwner ? kept.slice(-1) : [] };
    if ((await findingsIn(altered, wiring.trusted(trusted), now)).length === 0)
      return `13: nobody noticed ${what}`;
  }
  return undefined;
}

async function findingsIn(
  log: readonly RecordedEvent[],
  trusted: TrustedSeals,
  now: number,
): Promise<string[]> {
  const found: string[] = [];
  const findings: CheckFindings = {
    checked: () => undefined,
    wrongAt: (_place, _check, message, _expected, it) => found.push(`${message}: ${String(it)}`),
  };
  const seals = log.filter(({ stream }) => stream === sealStream);
  const store = {
    readStream: (_: string, { direction, from, limit = 512 }: ReadOptions = {}) => {
      const chosen =
        direction === 'backwards'
          ? seals.toReversed().filter(({ revision }) => from === undefined || revision <= from)
          : seals.filter(({ revision }) => from === undefined || revision >= from);
      return Promise.resolve({ kind: 'found' as const, events: chosen.slice(0, limit) });
    },
  };
  const history = await SealedHistory.open(store, findings, trusted);
  await history.apply(log);
  const { unsealedEvents } = await history.end(now);
  const unsealed = unsealedEvents > 0 ? [`${unsealedEvents} events are not sealed`] : [];
  return [...found, ...unsealed];
}

type ReadOptions = {
  readonly direction?: 'forwards' | 'backwards';
  readonly from?: bigint;
  readonly limit?: number;
};
