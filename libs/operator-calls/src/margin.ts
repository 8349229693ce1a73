import type { Environment } from '#domain/environment.js';

/** The credits that jobs charged and refunded, and their vendors' prices. */
interface Sums {
  readonly creditsTaken: number;
  readonly creditsReturned: number;
  /** The vendors' prices, in millionths of the registry's currency. */
  readonly priceMicros: number;
}

/**
 * The income from kept credits minus the vendors' prices. Undefined if credits have no price, and in `test`,
 * whose credits are not sold.
 */
export function marginOf(
  environment: Environment,
  creditPrice: number | undefined,
  { creditsTaken, creditsReturned, priceMicros }: Sums,
): number | undefined {
  if (creditPrice === undefined || environment === 'test') return undefined;
  return (creditsTaken - creditsReturned) * creditPrice - priceMicros / 1e6;
}
