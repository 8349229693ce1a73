import type { Environment } from '#domain/environment.js';

/** What jobs took, gave back and cost. */
interface Sums {
  readonly creditsTaken: number;
  readonly creditsReturned: number;
  /** What vendors took, in millionths of the registry's currency. */
  readonly priceMicros: number;
}

/**
 * The income from kept credits less the vendors' prices. Undefined without a price of a credit, and in `test`, whose
 * credits are not sold.
 */
export function marginOf(
  environment: Environment,
  creditPrice: number | undefined,
  { creditsTaken, creditsReturned, priceMicros }: Sums,
): number | undefined {
  if (creditPrice === undefined || environment === 'test') return undefined;
  return (creditsTaken - creditsReturned) * creditPrice - priceMicros / 1e6;
}
