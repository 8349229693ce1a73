import { describe, expect, it } from 'vitest';
import { given } from '../../test/support/given.js';
import type { SpendEvent } from './spend.events.js';
import {
  agreeToSpend,
  carriedOutMs,
  declineSpend,
  evolveSpending,
  initialSpending,
  mostOffersADay,
  obstacle,
  offerSpend,
  recordOrder,
} from './spend.js';

const spending = { initial: initialSpending, evolve: evolveSpending };
const at = '2026-06-01T12:00:00.000Z';
const expiresAt = '2026-06-01T12:10:00.000Z';
const caps = { session: 10, day: 12 };
const noSpend: SpendEvent[] = [];

function terms(offerId = 'o1', more: { credits?: number; session?: string | null } = {}) {
  return {
    offerId,
    tenant: 'acme',
    keyId: 'k1',
    workflow: 'model-generator',
    body: { gender: 'FEMALE' },
    bodyHash: 'ab',
    credits: 5,
    session: null,
    confirmationHash: null,
    expiresAt,
    at,
    ...more,
  };
}
const offered = (...of: Parameters<typeof terms>): SpendEvent => ({
  type: 'SpendOffered',
  data: terms(...of),
});
const agreed = (offerId = 'o1', consent: 'person' | 'confirmation' = 'person'): SpendEvent => ({
  type: 'SpendAgreed',
  data: { offerId, consent, at },
});
const declined: SpendEvent = { type: 'SpendDeclined', data: { offerId: 'o1', at } };
const ordered: SpendEvent = { type: 'SpendOrdered', data: { offerId: 'o1', jobId: 'j1', at } };
const refused: SpendEvent = {
  type: 'SpendRefused',
  data: { offerId: 'o1', code: 'INSUFFICIENT_BALANCE', at },
};
const agree = (offerId = 'o1', consent: 'person' | 'confirmation' = 'person', when = at) => ({
  offerId,
  consent,
  caps,
  at: when,
});

describe('an offer to spend', () => {
  it('is made once, and a bounded number of them on a day', () => {
    given(spending, noSpend).when(offerSpend, terms()).then(offered());
    given(spending, [offered()]).when(offerSpend, terms()).then();
    const many = Array.from({ length: mostOffersADay }, (_, index) => offered(`x${index}`));
    given(spending, many).when(offerSpend, terms()).thenRejected({ code: 'TOO_MANY_OFFERS' });
  });

  it('is agreed to once: a consent that comes again changes nothing', () => {
    given(spending, [offered()]).when(agreeToSpend, agree()).then(agreed());
    given(spending, [offered(), agreed()]).when(agreeToSpend, agree()).then();
    given(spending, [offered(), agreed(), ordered]).when(agreeToSpend, agree()).then();
  });

  it('takes no consent after its end, nor after it was declined or refused', () => {
    given(spending, [offered()])
      .when(agreeToSpend, agree('o1', 'person', expiresAt))
      .thenRejected({ code: 'OFFER_EXPIRED', expiresAt });
    given(spending, [offered(), declined])
      .when(agreeToSpend, agree())
      .thenRejected({ code: 'OFFER_DECLINED' });
    given(spending, [offered(), agreed(), refused])
      .when(agreeToSpend, agree())
      .thenRejected({ code: 'OFFER_REFUSED', refusal: 'INSUFFICIENT_BALANCE' });
    given(spending, noSpend).when(agreeToSpend, agree()).thenRejected({ code: 'OFFER_NOT_FOUND' });
  });

  it('is declined while it is open, and not once it is agreed to', () => {
    given(spending, [offered()]).when(declineSpend, { offerId: 'o1', at }).then(declined);
    given(spending, [offered(), declined]).when(declineSpend, { offerId: 'o1', at }).then();
    given(spending, [offered(), agreed()])
      .when(declineSpend, { offerId: 'o1', at })
      .thenRejected({ code: 'OFFER_TAKEN' });
  });

  it('is carried out as long as the dispatch remembers its key, and gives its job at any time after', () => {
    const after = (ms: number) => new Date(Date.parse(at) + ms).toISOString();
    const { state } = given(spending, [offered(), agreed()]);
    expect(obstacle(state.get('o1'), after(carriedOutMs))).toBeUndefined();
    expect(obstacle(state.get('o1'), after(carriedOutMs + 1))).toEqual({ code: 'OFFER_LOST', agreedAt: at });
    const made = given(spending, [offered(), agreed(), ordered]).state.get('o1');
    expect(obstacle(made, after(10 * carriedOutMs))).toBeUndefined();
    expect(made).toMatchObject({ status: 'ordered', jobId: 'j1' });
  });

  it('keeps the job that was made, whatever another try was told', () => {
    const outcome = { offerId: 'o1', jobId: 'j1', at };
    const refusal = { offerId: 'o1', code: 'INSUFFICIENT_BALANCE', at };
    given(spending, [offered(), agreed()]).when(recordOrder, outcome).then(ordered);
    given(spending, [offered(), agreed()]).when(recordOrder, refusal).then(refused);
    given(spending, [offered(), agreed(), ordered]).when(recordOrder, refusal).then();
    given(spending, [offered(), agreed(), ordered]).when(recordOrder, outcome).then();
    given(spending, [offered(), agreed(), refused]).when(recordOrder, outcome).then(ordered);
  });
});

describe('spending without a person', () => {
  const confirm = (offerId: string) => agree(offerId, 'confirmation');

  it('ends at the cap of the session, and at the cap of the key and day', () => {
    const one = [offered('o1', { session: 's' }), agreed('o1', 'confirmation')];
    given(spending, [...one, offered('o2', { session: 's' })])
      .when(agreeToSpend, confirm('o2'))
      .then(agreed('o2', 'confirmation'));
    given(spending, [...one, offered('o2', { session: 's', credits: 6 })])
      .when(agreeToSpend, confirm('o2'))
      .thenRejected({ code: 'SPEND_CAP_REACHED', of: 'session', cap: 10, spent: 5 });
    given(spending, [...one, offered('o2', { session: 'other', credits: 8 })])
      .when(agreeToSpend, confirm('o2'))
      .thenRejected({ code: 'SPEND_CAP_REACHED', of: 'day', cap: 12, spent: 5 });
    given(spending, [offered(), agreed('o1', 'confirmation'), offered('o2', { credits: 6 })])
      .when(agreeToSpend, confirm('o2'))
      .thenRejected({ code: 'SPEND_CAP_REACHED', of: 'session', cap: 10, spent: 5 });
  });

  it('has no cap for a person, and does not count what a person agreed to or what was refused', () => {
    given(spending, [offered('o1', { credits: 100 })])
      .when(agreeToSpend, agree())
      .then(agreed());
    given(spending, [offered('o1', { credits: 100 }), agreed(), offered('o2', { credits: 10 })])
      .when(agreeToSpend, confirm('o2'))
      .then(agreed('o2', 'confirmation'));
    given(spending, [offered(), agreed('o1', 'confirmation'), refused, offered('o2', { credits: 10 })])
      .when(agreeToSpend, confirm('o2'))
      .then(agreed('o2', 'confirmation'));
  });
});
