import type { EventFamily } from '#domain/event-family.js';

/** Who agreed: a person whom the client asked, or the agent with the confirmation id of the quote. */
export type SpendConsent = 'person' | 'confirmation';

/** An order that an agent may place once, until `expiresAt`. */
export interface SpendTerms {
  offerId: string;
  tenant: string;
  keyId: string;
  workflow: string;
  /** The body that the agent sent. The dispatch checks it again. */
  body: Record<string, unknown>;
  /** SHA-256 of the canonical body, hexadecimal. */
  bodyHash: string;
  /** The price that is agreed to. The order is refused at any other price. */
  credits: number;
  /** The run of the client that asked for the quote; null if the client names none. */
  session: string | null;
  /** SHA-256 of the confirmation id, hexadecimal; null if a person is asked. */
  confirmationHash: string | null;
  expiresAt: string;
}

/**
 * The events of `{env}.spend-{key}-{day}`, as they are stored: what agents may spend, and have spent, with one
 * key on one day (UTC) of its quotes. One stream for all of them lets the stream's revision guard the caps too.
 */
export type SpendEvent =
  | { type: 'SpendOffered'; data: SpendTerms & { at: string } }
  | { type: 'SpendAgreed'; data: { offerId: string; consent: SpendConsent; at: string } }
  | { type: 'SpendDeclined'; data: { offerId: string; at: string } }
  /** The order was dispatched. */
  | { type: 'SpendOrdered'; data: { offerId: string; jobId: string; at: string } }
  /** The order was refused after the consent, for example for lack of credits. Nothing was charged. */
  | { type: 'SpendRefused'; data: { offerId: string; code: string; at: string } };

export const spendFamily: EventFamily<'spend', SpendEvent> = {
  category: 'spend',
  owner: 'tenant',
  ownKeys: true,
  idFields: {},
  upcasters: {
    SpendOffered: [],
    SpendAgreed: [],
    SpendDeclined: [],
    SpendOrdered: [],
    SpendRefused: [],
  },
  personal: {
    SpendOffered: {
      offerId: false,
      tenant: false,
      keyId: false,
      workflow: false,
      body: true,
      // The body's hash would confirm a guess of the body.
      bodyHash: true,
      session: true,
      confirmationHash: false,
      expiresAt: false,
    },
    SpendAgreed: { offerId: false },
    SpendDeclined: { offerId: false },
    SpendOrdered: { offerId: false, jobId: false },
    SpendRefused: { offerId: false, code: false },
  },
};
