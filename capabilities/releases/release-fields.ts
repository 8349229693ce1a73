import { choice, text } from '#validation/fields.js';
import { given, implies, noneOf } from '#validation/relations.js';
import { workflows } from '#workflows/workflows.js';
import type { ReleaseFee, ReleaseTerms } from './release.events.js';

/** The fields of a release's terms, for requests of integrators and calls of operators. */
export const termFields = {
  workflows: {
    description: 'The workflows that the person allows. Empty: all.',
    items: choice(workflows.map(({ name }) => name)),
    max: workflows.length,
    unique: true,
    example: ['try-on'],
  },
  uses: {
    description: 'What pictures may be used for, in words of yours. Empty: all.',
    items: text({ min: 1, max: 64 }),
    max: 32,
    unique: true,
    example: ['e-commerce'],
  },
  territories: {
    description: 'Countries by ISO 3166-1 alpha-2. Empty: all.',
    items: text({ min: 2, max: 2 }),
    max: 250,
    unique: true,
    example: ['DE', 'AT'],
  },
  feeCredits: {
    description: 'Owed to the person for each job, in credits.',
    min: 1,
    max: 1_000_000,
    example: 2,
  },
  feeAmount: {
    description: 'Owed to the person for each job, in hundredths of `fee_currency`.',
    min: 1,
    max: 1_000_000_000,
  },
  feeCurrency: { description: 'The currency of `fee_amount`, by ISO 4217.', min: 3, max: 3 },
  document: {
    description: 'Where you keep the signed document.',
    min: 1,
    max: 512,
    example: 'contracts/2026/17.pdf',
  },
  dataSubject: {
    description: 'Your own name for the person.',
    min: 1,
    max: 128,
    example: 'customer-4711',
  },
};

/** The fee is in credits or in money. */
export const oneFee = [
  noneOf(['fee_amount'], given('fee_credits'), 'and fee_credits exclude each other: send one of them'),
  implies(given('fee_amount'), given('fee_currency'), {
    field: 'fee_currency',
    msg: 'is required with fee_amount',
    type: 'missing',
  }),
  implies(given('fee_currency'), given('fee_amount'), {
    field: 'fee_amount',
    msg: 'is required with fee_currency',
    type: 'missing',
  }),
] as const;

/** Terms as they are sent. */
export interface SentTerms {
  readonly workflows: string[];
  readonly uses: string[];
  readonly territories: string[];
  readonly expires_at?: string;
  readonly fee_credits?: number;
  readonly fee_amount?: number;
  readonly fee_currency?: string;
  readonly document?: string;
}

/** The terms that a body states. Those that it leaves out allow all. */
export function termsOf(body: SentTerms): ReleaseTerms {
  const { workflows: names, uses, territories, expires_at, document } = body;
  return {
    workflows: names,
    uses,
    territories: upperCase(territories),
    expiresAt: expires_at === undefined ? null : new Date(expires_at).toISOString(),
    fee: feeOf(body),
    document: document ?? null,
  };
}

export const upperCase = (codes: readonly string[]): string[] => codes.map((code) => code.toUpperCase());

function feeOf({
  fee_credits: credits,
  fee_amount: amount,
  fee_currency: currency,
}: SentTerms): ReleaseFee | null {
  if (credits !== undefined) return { amount: credits, unit: 'credits' };
  return amount === undefined || currency === undefined ? null : { amount, unit: currency.toUpperCase() };
}
