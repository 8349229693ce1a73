/** A debit that is neither settled nor refunded yet. */
export interface OpenCharge {
  readonly jobId: string;
  readonly amount: number;
  readonly at: string;
}

/**
 * The open charges of an account, by charge id. A busy account holds thousands of them, so a state does not copy
 * them for every event: they are edited in place, and a `fork` is a thin layer over its base that can be thrown
 * away. The account's writer decides a batch on a fork, and only what the store has committed reaches the base.
 */
export class OpenCharges {
  readonly #charges: Map<string, OpenCharge | undefined>;
  readonly #base: OpenCharges | undefined;

  constructor(entries: Iterable<readonly [string, OpenCharge]> = [], base?: OpenCharges) {
    this.#charges = new Map(entries);
    this.#base = base;
  }

  get(chargeId: string): OpenCharge | undefined {
    return this.#charges.has(chargeId) ? this.#charges.get(chargeId) : this.#base?.get(chargeId);
  }

  open(chargeId: string, charge: OpenCharge): void {
    this.#charges.set(chargeId, charge);
  }

  close(chargeId: string): void {
    if (this.#base) this.#charges.set(chargeId, undefined);
    else this.#charges.delete(chargeId);
  }

  fork(): OpenCharges {
    return new OpenCharges([], this);
  }

  /** How many are open; for a fork an upper bound, because it does not look into its base. */
  get size(): number {
    return this.#charges.size + (this.#base?.size ?? 0);
  }

  entries(): [string, OpenCharge][] {
    const all = new Map<string, OpenCharge | undefined>(this.#base?.entries());
    for (const [chargeId, charge] of this.#charges) all.set(chargeId, charge);
    return [...all].filter((entry): entry is [string, OpenCharge] => entry[1] !== undefined);
  }
}
