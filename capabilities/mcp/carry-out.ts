import type { AgentRequest, OfferOutcome, Offers } from './offers.js';
import type { Offer } from './spend.js';

/** How the dispatch of an agreed offer went. */
export type Dispatched =
  | { readonly kind: 'made'; readonly jobId: string }
  /** For good: nothing was charged. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  /** It is unknown whether the job was made, or a repeat can succeed. */
  | { readonly kind: 'unsure'; readonly code: string; readonly message: string };

/** Dispatches an offer under {@link idempotencyKeyOf} it, at its price or not at all. */
export type DispatchOffer = (offer: Offer) => Promise<Dispatched>;

export type CarriedOut =
  | { readonly kind: 'ordered'; readonly offer: Offer; readonly jobId: string; readonly replayed: boolean }
  | Exclude<Dispatched, { kind: 'made' }>;

/** Derived from the offer, so all tries of all processes make one job. */
export const idempotencyKeyOf = ({ offerId }: Pick<Offer, 'offerId'>): string => `mcp-${offerId}`;

/**
 * Makes the job of an agreed offer and records it. Every step may be repeated after a crash: the agreement and the
 * record are on the log once, and the dispatch has one Idempotency-Key.
 */
export async function carryOut(
  offers: Pick<Offers, 'record'>,
  request: AgentRequest,
  offer: Offer,
  dispatch: DispatchOffer,
): Promise<CarriedOut> {
  const { offerId, jobId } = offer;
  if (jobId !== undefined) return { kind: 'ordered', offer, jobId, replayed: true };
  const dispatched = await dispatch(offer);
  switch (dispatched.kind) {
    case 'unsure':
      return dispatched;
    case 'made':
      await offers.record(request, offerId, { jobId: dispatched.jobId });
      return { kind: 'ordered', offer, jobId: dispatched.jobId, replayed: false };
    case 'refused': {
      // Another process may have made the job in the meantime; its record counts.
      const made = jobOf(await offers.record(request, offerId, { code: dispatched.code }));
      return made === undefined ? dispatched : { kind: 'ordered', offer, jobId: made, replayed: true };
    }
    default:
      return dispatched satisfies never;
  }
}

const jobOf = (recorded: OfferOutcome) => (recorded.kind === 'done' ? recorded.offer.jobId : undefined);
