import { accept, reject, type Decision } from '#domain/decision.js';
import type { SpendConsent, SpendEvent, SpendTerms } from './spend.events.js';

/**
 * An offer is `open` after SpendOffered. A consent in time makes it `agreed`; a refused consent makes it
 * `declined` for good. An agreed offer becomes `ordered` when its job is known, or `refused` when the dispatch
 * was refused. Only an agreed offer is ever dispatched, always under the same Idempotency-Key, so an offer
 * makes one job at most. An open offer expires by the clock; no event marks that.
 */
export type OfferStatus = 'open' | 'agreed' | 'declined' | 'ordered' | 'refused';

export interface Offer extends Readonly<SpendTerms> {
  readonly status: OfferStatus;
  readonly consent?: SpendConsent;
  readonly agreedAt?: string;
  readonly jobId?: string;
  /** The code of the refusal. */
  readonly refusal?: string;
}

/** The offers of one key and day, by id. */
export type Spending = ReadonlyMap<string, Offer>;

export const initialSpending: Spending = new Map();

/** More than an agent asks for by intent, and few enough to read the stream for each of them. */
export const mostOffersADay = 500;

/**
 * How long an agreed offer is carried out when its order is repeated. The dispatch remembers its
 * Idempotency-Key for 24 hours; later a repeated order could make a second job.
 */
export const carriedOutMs = 23 * 60 * 60_000;

/** The most credits that agents may spend without a person, per run of a client and per key and day. */
export interface SpendCaps {
  readonly session: number;
  readonly day: number;
}

export type SpendRejection =
  | { readonly code: 'TOO_MANY_OFFERS' }
  | { readonly code: 'OFFER_NOT_FOUND' }
  | { readonly code: 'OFFER_EXPIRED'; readonly expiresAt: string }
  | { readonly code: 'OFFER_DECLINED' }
  | { readonly code: 'OFFER_REFUSED'; readonly refusal: string }
  | { readonly code: 'OFFER_TAKEN' }
  | { readonly code: 'OFFER_LOST'; readonly agreedAt: string }
  | {
      readonly code: 'SPEND_CAP_REACHED';
      readonly of: keyof SpendCaps;
      readonly cap: number;
      readonly spent: number;
    };

export function evolveSpending(spending: Spending, event: SpendEvent): Spending {
  const { offerId } = event.data;
  if (event.type === 'SpendOffered') {
    const { at: _, ...terms } = event.data;
    return new Map(spending).set(offerId, { ...terms, status: 'open' });
  }
  const offer = spending.get(offerId);
  if (!offer) throw new Error(`${event.type} of an offer that was never made`);
  return new Map(spending).set(offerId, changed(offer, event));
}

function changed(offer: Offer, event: Exclude<SpendEvent, { type: 'SpendOffered' }>): Offer {
  switch (event.type) {
    case 'SpendAgreed':
      return { ...offer, status: 'agreed', consent: event.data.consent, agreedAt: event.data.at };
    case 'SpendDeclined':
      return { ...offer, status: 'declined' };
    case 'SpendOrdered':
      return { ...offer, status: 'ordered', jobId: event.data.jobId };
    case 'SpendRefused':
      return { ...offer, status: 'refused', refusal: event.data.code };
    default:
      return event satisfies never;
  }
}

export function offerSpend(
  command: SpendTerms & { at: string },
  spending: Spending,
): Decision<SpendEvent, SpendRejection> {
  if (spending.has(command.offerId)) return accept();
  if (spending.size >= mostOffersADay) return reject({ code: 'TOO_MANY_OFFERS' });
  return accept({ type: 'SpendOffered', data: { ...command } });
}

/**
 * Why an offer cannot be ordered at this time, even with consent; undefined: it can. An offer that was ordered
 * before can be ordered again: that gives its job.
 */
export function obstacle(offer: Offer | undefined, at: string): SpendRejection | undefined {
  if (!offer) return { code: 'OFFER_NOT_FOUND' };
  switch (offer.status) {
    case 'open':
      return at < offer.expiresAt ? undefined : { code: 'OFFER_EXPIRED', expiresAt: offer.expiresAt };
    case 'agreed': {
      const { agreedAt = at } = offer;
      const isLost = Date.parse(at) - Date.parse(agreedAt) > carriedOutMs;
      return isLost ? { code: 'OFFER_LOST', agreedAt } : undefined;
    }
    case 'ordered':
      return undefined;
    case 'declined':
      return { code: 'OFFER_DECLINED' };
    case 'refused':
      return { code: 'OFFER_REFUSED', refusal: offer.refusal ?? '' };
    default:
      return offer.status satisfies never;
  }
}

/** Takes a consent. A consent that comes twice changes nothing: the offer stays agreed, once. */
export function agreeToSpend(
  { offerId, consent, caps, at }: { offerId: string; consent: SpendConsent; caps: SpendCaps; at: string },
  spending: Spending,
): Decision<SpendEvent, SpendRejection> {
  const offer = spending.get(offerId);
  const why = obstacle(offer, at);
  if (why) return reject(why);
  if (offer?.status !== 'open') return accept();
  const capped = consent === 'confirmation' ? reachedCap(offer, caps, spending) : undefined;
  return capped ? reject(capped) : accept({ type: 'SpendAgreed', data: { offerId, consent, at } });
}

/** Clients that name no run of theirs share one. A failed job gives its credits back to the account, but no room under these caps. */
function reachedCap(offer: Offer, caps: SpendCaps, spending: Spending): SpendRejection | undefined {
  const spentIn = (counts: (other: Offer) => boolean) =>
    [...spending.values()]
      .filter(({ consent, status }) => consent === 'confirmation' && status !== 'refused')
      .filter(counts)
      .reduce((sum, { credits }) => sum + credits, 0);
  const { session } = offer;
  const limits = [
    { of: 'session', cap: caps.session, spent: spentIn((each) => each.session === session) },
    { of: 'day', cap: caps.day, spent: spentIn(() => true) },
  ] as const;
  const reached = limits.find(({ cap, spent }) => spent + offer.credits > cap);
  return reached && { code: 'SPEND_CAP_REACHED', ...reached };
}

export function declineSpend(
  { offerId, at }: { offerId: string; at: string },
  spending: Spending,
): Decision<SpendEvent, SpendRejection> {
  const offer = spending.get(offerId);
  if (!offer) return reject({ code: 'OFFER_NOT_FOUND' });
  if (offer.status === 'agreed' || offer.status === 'ordered') return reject({ code: 'OFFER_TAKEN' });
  return offer.status === 'open' ? accept({ type: 'SpendDeclined', data: { offerId, at } }) : accept();
}

/** The dispatch's outcome. A job that was made counts even if another try was refused before. */
export function recordOrder(
  outcome: { offerId: string; at: string } & ({ jobId: string } | { code: string }),
  spending: Spending,
): Decision<SpendEvent, SpendRejection> {
  const { offerId, at } = outcome;
  const status = spending.get(offerId)?.status;
  if (status === undefined) return reject({ code: 'OFFER_NOT_FOUND' });
  if (status === 'ordered') return accept();
  if ('jobId' in outcome)
    return accept({ type: 'SpendOrdered', data: { offerId, jobId: outcome.jobId, at } });
  if (status === 'refused') return accept();
  return accept({ type: 'SpendRefused', data: { offerId, code: outcome.code, at } });
}
