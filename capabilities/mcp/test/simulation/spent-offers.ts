import { DispatchWorkflow } from '#application/dispatch/dispatch-workflow.handler.js';
import { DispatchVoided } from '#application/dispatch/dispatcher.js';
import { IdempotencyLeaseLost } from '#application/dispatch/idempotency.js';
import { Operations } from '#application/operation/operations.js';
import { AppendOutcomeUnknown, DuplicateEventId, EventStoreUnavailable } from '#event-store/event-store.js';
import { drawIdsFrom, newId } from '#platform/ids.js';
import { Callers } from '../../../../test/simulation/callers.js';
import { environment, Installation } from '../../../../test/simulation/installation.js';
import { ApiReplica } from '../../../../test/simulation/replicas/api.js';
import { ProjectorReplica } from '../../../../test/simulation/replicas/projector.js';
import { networkFaults } from '../../../../test/simulation/store/network.js';
import { sound } from '../../../../test/simulation/wiring.js';
import { carryOut, idempotencyKeyOf, type Dispatched } from '../../carry-out.js';
import { Offers, type AgentRequest } from '../../offers.js';
import type { Offer } from '../../spend.js';
import { caps, SpendBook } from './spend-book.js';

/** The parts that an order is put together from. A planted bug replaces one of them. */
export interface SpendWiring {
  keyOf(offer: Offer): string;
  expectedOf(offer: Offer): number | undefined;
  /** Whether an order stops when its consent is refused. */
  readonly stops: boolean;
  /** Whether an order asks first if the offer can still be ordered. */
  readonly asks: boolean;
  readonly caps: typeof caps;
}

export const soundSpending: SpendWiring = {
  keyOf: idempotencyKeyOf,
  expectedOf: ({ credits }) => credits,
  stops: true,
  asks: true,
  caps,
};

export interface SpendingRun {
  /** The first rule that was broken; undefined: everything held. */
  readonly violation: string | undefined;
  /** What happened, by kind. */
  readonly seen: ReadonlySet<string>;
}

const tenant = 'acme';
const workflow = 'background-generator';
const actions = 80;
const offerMs = 600_000;
const dayMs = 24 * 3_600_000;
const steps = [50, 3_000, 6_000, 61_000, offerMs, 25 * 3_600_000];
const prices = [2, 5];

/** Errors after which an agent has no answer and asks again. */
const noAnswer = [
  EventStoreUnavailable,
  AppendOutcomeUnknown,
  DispatchVoided,
  IdempotencyLeaseLost,
  DuplicateEventId,
];

/**
 * Agents quote and order through two API processes, several of them with the same consent, while processes die,
 * pause and lose answers, prices change and time passes. In the end every agreed offer is ordered again until it
 * has an answer.
 */
export async function simulateSpending(seed: number, wiring = soundSpending): Promise<SpendingRun> {
  let drawn = 0;
  drawIdsFrom(() => `01SM${String(++drawn).padStart(22, '0')}`);
  try {
    return await new SpendingSimulation(seed, wiring).run();
  } finally {
    drawIdsFrom(undefined);
  }
}

class SpendingSimulation {
  private readonly seen = new Set<string>();
  private readonly installation: Installation;
  private readonly callers: Callers;
  private readonly apis: readonly [ApiReplica, ApiReplica];
  private readonly projector: ProjectorReplica;
  private readonly book: SpendBook;
  private readonly offers: string[] = [];

  constructor(
    seed: number,
    private readonly wiring: SpendWiring,
  ) {
    this.installation = new Installation(sound, () => undefined, seed % 2 === 0);
    this.installation.scheduler.reseed(seed);
    this.callers = new Callers(this.installation);
    this.apis = [new ApiReplica('api-1', this.installation), new ApiReplica('api-2', this.installation)];
    this.projector = new ProjectorReplica('projector-1', this.installation);
    this.book = new SpendBook(this.installation);
  }

  async run(): Promise<SpendingRun> {
    const { scheduler } = this.installation;
    const replicas = [...this.apis, this.projector];
    for (const replica of replicas) replica.start();
    let prepared = false;
    void this.callers.prepare(this.apis[0]).then(() => (prepared = true));
    while (!prepared) await scheduler.step();
    for (let done = 0; done < actions; done++) {
      this.act();
      for (let turns = scheduler.choose(25); turns > 0; turns--) await scheduler.step();
    }
    for (const replica of replicas) {
      replica.network.disarm();
      scheduler.resume(replica.process);
      if (replica.process.state === 'dead') replica.start();
    }
    this.installation.processesChanged();
    await this.rest();
    for (const offerId of this.offers) await this.orderInTheEnd(offerId);
    const violation = this.book.violations[0];
    for (const { process } of replicas) scheduler.kill(process);
    await this.installation.end();
    return { violation, seen: new Set([...this.seen, ...this.book.seen]) };
  }

  private act(): void {
    const { scheduler } = this.installation;
    const pick = <T>(values: readonly T[]): T => values[scheduler.choose(values.length)]!;
    const api = pick(this.apis);
    switch (scheduler.choose(14)) {
      case 0:
        scheduler.kill(api.process);
        return this.installation.processesChanged();
      case 1:
        if (api.process.state === 'dead') api.start();
        return;
      case 2:
        return scheduler.pause(api.process);
      case 3:
        return scheduler.resume(api.process);
      case 4:
        return api.network.arm(pick(networkFaults));
      case 5:
        return this.advance(pick(steps));
      case 6:
        return this.callers.operate(api, {
          kind: 'price',
          api: 'api-1',
          operation: workflow,
          credits: pick(prices),
          inMs: null,
        });
      case 7:
        void this.projector.sweep().catch(() => undefined);
        return;
      case 8:
      case 9:
        return this.start(api, () => this.quote(api, scheduler.choose(3)));
      default: {
        const offerId = pick(this.offers);
        if (offerId !== undefined) this.start(api, () => this.order(api, offerId));
      }
    }
  }

  /** Requests do not last for a day: the processes start again before the next one. */
  private advance(ms: number): void {
    const { scheduler } = this.installation;
    if (ms < dayMs) return scheduler.advance(ms);
    for (const { process } of this.apis) scheduler.kill(process);
    scheduler.advance(ms);
    for (const api of this.apis) api.start();
    this.installation.processesChanged();
  }

  /** Runs an agent's call beside everything else; a process that dies never answers. */
  private start(api: ApiReplica, work: () => Promise<string>): void {
    if (api.process.state === 'dead') return;
    this.installation.scheduler
      .turn(api.process)
      .then(work)
      .catch((error: unknown) => {
        if (noAnswer.some((expected) => error instanceof expected)) return 'no answer';
        this.book.violations.push(`an agent met a defect: ${String(error)}`);
        return 'defect';
      })
      .then((what) => this.seen.add(what))
      .catch(String);
  }

  private async quote(api: ApiReplica, run: number): Promise<string> {
    const { credits } = await new Operations(api.store, this.installation.clock).termsOf(
      environment,
      workflow,
    );
    const body = { label: `offer-${newId()}`, fates: [], seed: 7 };
    const made = await this.offersOf(api).make(request(), {
      workflow,
      body,
      credits,
      session: `run-${run}`,
      confirmationId: 'shown',
    });
    if (made.kind === 'done') this.offers.push(made.offer.offerId);
    return made.kind;
  }

  private async order(api: ApiReplica, offerId: string): Promise<string> {
    const offers = this.offersOf(api);
    const asked = request();
    const found = await offers.find(asked, offerId);
    if (found.kind === 'rejected' && this.wiring.asks) return found.rejection.code;
    const consent = this.installation.scheduler.choose(2) === 0 ? 'person' : 'confirmation';
    const agreed = await offers.agree(asked, offerId, consent);
    if (agreed.kind === 'rejected' && this.wiring.stops) return agreed.rejection.code;
    const offer = agreed.kind === 'done' ? agreed.offer : this.book.offer(offerId);
    const carried = await carryOut(offers, asked, offer, (each) => this.dispatch(api, each));
    if (carried.kind === 'ordered') this.book.answered(offerId, carried.jobId);
    return carried.kind === 'ordered' ? (carried.replayed ? 'replayed' : 'ordered') : carried.code;
  }

  private async dispatch(api: ApiReplica, offer: Offer): Promise<Dispatched> {
    const expectedCredits = this.wiring.expectedOf(offer);
    const asked = {
      caller: request().caller,
      workflow,
      endpoint: `/v1/${workflow}`,
      body: offer.body,
      at: this.installation.clock(),
      ...(expectedCredits !== undefined && { expectedCredits }),
    };
    const idempotency = { key: this.wiring.keyOf(offer), bodyHash: offer.bodyHash };
    const answer = await api.dispatch.execute(new DispatchWorkflow(asked, newId(), idempotency));
    if (answer.kind !== 'answered') return { kind: 'unsure', code: answer.kind, message: '' };
    const { outcome } = answer;
    if (outcome.kind === 'accepted') return { kind: 'made', jobId: outcome.ids.jobId };
    const code = outcome.kind === 'refused' ? outcome.rejection.code : outcome.kind;
    return { kind: 'refused', code, message: '' };
  }

  private offersOf({ store }: ApiReplica): Offers {
    const { session: sessionCredits, day: dayCredits } = this.wiring.caps;
    const configuration = { mcp: { offerMs, sessionCredits, dayCredits } };
    return new Offers(store, configuration, this.installation.clock);
  }

  /** Orders an agreed offer until it has an answer. */
  private async orderInTheEnd(offerId: string): Promise<void> {
    const { scheduler } = this.installation;
    for (let tries = 0; this.book.isAwaited(offerId); tries++) {
      if (tries === 10) {
        this.book.violations.push(`an agreed offer gets no answer: ${offerId}`);
        return;
      }
      this.start(this.apis[0], () => this.order(this.apis[0], offerId));
      await this.rest();
      // The lease of a try that died.
      scheduler.advance(6_000);
    }
  }

  private async rest(): Promise<void> {
    const { scheduler } = this.installation;
    for (let idle = 0; idle < 3;) {
      while (await scheduler.step());
      const due = scheduler.nextDueAt;
      if (due !== undefined && due - scheduler.now < 30_000) scheduler.advance(due - scheduler.now);
      else idle += 1;
    }
  }
}

const request = (): AgentRequest => ({
  caller: { environment, tenant, keyId: 'key', capabilities: ['jobs:create', 'jobs:read'] },
  requestId: newId(),
});
