import type { AuditedEvent } from '#capabilities/operate/audit/audited-event.js';
import { sha256Of } from '#application/render/render-inputs.js';
import type { RenderRequest } from '@atelier/engine';
import type { RecordedEvent } from '#event-store/event-store.js';
import { JudgedHistory } from '../support/judged-history.js';
import { ErasureBook, type Places } from './invariants/erasure-book.js';
import { PriceBook } from './invariants/price-book.js';
import { ReleaseBook } from './invariants/release-book.js';
import { RequestBook } from './invariants/request-book.js';
import { WebhookBook } from './invariants/webhook-book.js';
import type { Checkpoints } from './services/checkpoints.js';

/**
 * The invariants (section 10 of the design, by its numbers). The audit's model of history, which shares no fold
 * with the domain, judges charges, jobs and streams. The books here judge the parts that only a simulation can
 * see: callers, prices over time, the engine, the horizon of the sweep. A rule that one event can break is
 * checked with that event. A rule that must only hold in the end is checked when everything is at rest.
 */
export class Invariants {
  readonly violations: string[] = [];
  readonly history = new JudgedHistory('test');
  readonly requests: RequestBook;
  readonly prices: PriceBook;
  readonly webhooks: WebhookBook;
  readonly erasures: ErasureBook;
  readonly releases: ReleaseBook;
  /** Their digests. */
  private readonly storedPictures = new Set<string>();
  /** The number of calls, by the label of the request. */
  private readonly callsOfEngine = new Map<string, number>();
  /** Charges whose append arrived after their job was voided; only the sweep closes them. */
  private readonly madeTooLate = new Set<string>();
  /** The balances of each tenant after each event of its account, by position. */
  private readonly balances = new Map<string, { readonly position: bigint; readonly balance: number }[]>();

  constructor(
    private readonly now: () => number,
    private readonly horizonMs: number,
    private readonly world: Places & { readonly checkpoints: Checkpoints },
  ) {
    const report = (violation: string) => void this.violations.push(violation);
    this.prices = new PriceBook(report, now);
    this.webhooks = new WebhookBook(report, this.history);
    this.requests = new RequestBook(report, this.history, now);
    this.erasures = new ErasureBook(report, this.history, now, world);
    this.releases = new ReleaseBook(report, now, world.checkpoints);
  }

  /** The books for a restored log. They forget answers to callers about jobs that are gone. */
  restored(events: readonly RecordedEvent[]): Invariants {
    const books = new Invariants(this.now, this.horizonMs, this.world);
    books.violations.push(...this.violations);
    for (const event of events) books.observe(event, false);
    books.requests.takeOver(this.requests);
    books.webhooks.takeOver(this.webhooks);
    return books;
  }

  get engineCalls(): number {
    return [...this.callsOfEngine.values()].reduce((sum, calls) => sum + calls, 0);
  }

  get tenants(): Iterable<string> {
    return this.balances.keys();
  }

  balanceAt(tenant: string, position: bigint): number {
    return this.balances.get(tenant)?.findLast((entry) => entry.position <= position)?.balance ?? 0;
  }

  /** Call it with each event, in the step that commits the event, or with those of a restored log. */
  observe(recorded: RecordedEvent, isNow = true): void {
    const event = this.history.apply(recorded);
    this.violations.push(...this.history.news());
    if (!event) return;
    if (event.category === 'account') this.keepBalance(event);
    if (event.type === 'CreditsDebited' && this.history.stateOf(event.data.jobId) === 'voided')
      this.madeTooLate.add(event.data.chargeId);
    if (event.type === 'AssetStored') this.storedPictures.add(event.data.sha256);
    if (event.type === 'JobVoided' && recorded.metadata.actor === 'saga:orphan-sweep') {
      const madeAt = this.history.madeAt(event.data.chargeId);
      if (madeAt !== undefined && this.now() - madeAt < this.horizonMs)
        this.violations.push(`3: the sweep gives up the charge ${event.data.chargeId} before the horizon`);
    }
    if (event.type === 'JobSucceeded') this.checkBatch(event.streamId);
    this.prices.observe(event);
    this.requests.observe(event);
    this.webhooks.observe(event);
    this.erasures.observe(event);
    this.releases.observe(event, isNow);
  }

  /**
   * 5: an attempt is recorded before the engine is called, and its pictures are the stored ones.
   * @returns the number of earlier calls
   */
  engineCalled(label: string, inputs: RenderRequest['inputs']): number {
    for (const { name, bytes } of inputs)
      if (!this.storedPictures.has(sha256Of(bytes)))
        this.violations.push(`bytes: ${name} of ${label} is drawn from other bytes than were stored`);
    const calls = this.callsOfEngine.get(label) ?? 0;
    this.callsOfEngine.set(label, calls + 1);
    const jobs = [...this.history.jobs.values()].filter(({ request }) => request['label'] === label);
    const attempts = jobs.reduce((sum, { jobId }) => sum + this.history.attemptsOf(jobId), 0);
    if (calls + 1 > attempts)
      this.violations.push(
        `5: the engine is called for ${label} a ${calls + 1}. time, with ${attempts} attempts on record`,
      );
    return calls;
  }

  /**
   * Checks the state after everything had time, before the sweep and the reconciler repair losses. Without
   * losses, only two kinds of charges still wait for the sweep: those without a job, and those that were made
   * after their job was voided.
   */
  atFirstRest(): void {
    const { history } = this;
    for (const jobId of history.jobs.keys())
      if (!history.hasEnded(jobId)) this.violations.push(`12: the job ${jobId} does not end by itself`);
    for (const { chargeId, jobId } of history.charges.values()) {
      if (this.madeTooLate.has(chargeId)) continue;
      if (history.stateOfCharge(chargeId) === 'open' && history.hasEnded(jobId))
        this.violations.push(
          `4: the charge ${chargeId} stays open after its job, unless the sweep closes it`,
        );
    }
  }

  /** Checks the end, when everything had time and every process runs again. */
  atRest(): void {
    this.violations.push(...this.history.problemsAtRest());
    this.requests.atRest();
    this.webhooks.atRest();
    this.erasures.atRest();
  }

  private keepBalance({ streamId: tenant, position }: AuditedEvent): void {
    const known = this.balances.get(tenant) ?? [];
    known.push({ position, balance: this.history.balanceOf(tenant) });
    this.balances.set(tenant, known);
  }

  private checkBatch(jobId: string): void {
    const { childJobIds = [] } = this.history.jobs.get(jobId) ?? {};
    if (childJobIds.every((child) => this.history.hasEnded(child))) return;
    this.violations.push(`5: the batch ${jobId} succeeded before all its photographs had come to an end`);
  }
}
