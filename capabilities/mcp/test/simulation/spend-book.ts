import { decode } from '#domain/stored-events.js';
import type { RecordedEvent } from '#event-store/event-store.js';
import type { Installation } from '../../../../test/simulation/installation.js';
import type { Offer, SpendCaps } from '../../spend.js';

/** Small, so that agents meet them. */
export const caps: SpendCaps = { session: 8, day: 12 };

interface Kept extends Offer {
  consentedAt?: number;
  taken?: 'person' | 'confirmation';
  job?: string;
  closed?: boolean;
  recorded?: string;
}

/** The promises of a consent to spend. The book judges the log, and shares no fold with the code that wrote it. */
export class SpendBook {
  readonly seen = new Set<string>();
  private readonly offers = new Map<string, Kept>();

  constructor(private readonly installation: Installation) {
    const { log } = installation;
    const before = log.onCommitted;
    log.onCommitted = (event) => {
      before?.(event);
      this.observe(event);
    };
  }

  get violations(): string[] {
    return this.installation.invariants.violations;
  }

  offer(offerId: string): Offer {
    return this.kept(offerId);
  }

  /** Whether the offer was agreed to, can still be carried out, and has no outcome yet. */
  isAwaited(offerId: string): boolean {
    const { consentedAt, recorded, closed } = this.kept(offerId);
    const age = this.installation.scheduler.now - (consentedAt ?? -Infinity);
    return recorded === undefined && !closed && age < 22 * 3_600_000;
  }

  /** An agent is told that this job was made of the offer. */
  answered(offerId: string, jobId: string): void {
    if (this.kept(offerId).job !== jobId)
      this.report(`${offerId} is answered with a job that is not its own`);
  }

  private observe(recorded: RecordedEvent): void {
    const event = decode(recorded);
    this.seen.add(event.type);
    switch (event.type) {
      case 'SpendOffered':
        this.offers.set(event.data.offerId, { ...event.data, status: 'open' });
        return;
      case 'SpendAgreed':
        return this.agreed(event.data);
      case 'SpendOrdered': {
        const offer = this.kept(event.data.offerId);
        if (offer.job !== event.data.jobId) this.report(`${offer.offerId} records a job that is not its own`);
        offer.recorded = event.data.jobId;
        return;
      }
      case 'SpendRefused':
        this.kept(event.data.offerId).closed = true;
        return;
      case 'JobQueued':
        return this.queued(event.data);
      default:
    }
  }

  private agreed({
    offerId,
    consent,
    at,
  }: {
    offerId: string;
    consent: 'person' | 'confirmation';
    at: string;
  }): void {
    const offer = this.kept(offerId);
    if (offer.consentedAt !== undefined) this.report(`${offerId} is agreed to twice`);
    if (at >= offer.expiresAt) this.report(`${offerId} is agreed to after its end`);
    offer.consentedAt = this.installation.scheduler.now;
    offer.taken = consent;
    if (consent !== 'confirmation') return;
    const alone = [...this.offers.values()].filter(
      ({ taken, closed }) => taken === 'confirmation' && !closed,
    );
    const sum = (of: readonly Kept[]) => of.reduce((all, { credits }) => all + credits, 0);
    if (sum(alone) > caps.day) this.report('the cap of the day is passed');
    if (sum(alone.filter(({ session }) => session === offer.session)) > caps.session)
      this.report('the cap of a run is passed');
  }

  private queued({
    jobId,
    request,
    creditsCost,
  }: {
    jobId: string;
    request: object;
    creditsCost: number;
  }): void {
    const { label } = request as { label?: string };
    const offer = [...this.offers.values()].find(({ body }) => body['label'] === label);
    if (!offer) return;
    const { offerId, job, consentedAt, credits } = offer;
    if (job !== undefined) this.report(`${offerId} is two jobs, ${job} and ${jobId}`);
    if (consentedAt === undefined) this.report(`${offerId} is a job, and nobody has agreed`);
    if (creditsCost !== credits)
      this.report(`${offerId} costs ${creditsCost}, and ${credits} were agreed to`);
    offer.job = jobId;
  }

  private kept(offerId: string): Kept {
    const offer = this.offers.get(offerId);
    if (!offer) throw new Error(`the log has no offer ${offerId}`);
    return offer;
  }

  private report(violation: string): void {
    this.violations.push(`consent: ${violation}`);
  }
}
