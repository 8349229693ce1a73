const dayMs = 86_400_000;

/** What an account spends in a day: the day begins with a debit, and ends when more than 24 hours have passed. */
export class SpendingWindow {
  /** Credits; 0: no cap. */
  cap = 0;
  private beganAt = Number.NEGATIVE_INFINITY;
  private spent = 0;

  /** @returns the cap and what was spent, when that is too much */
  debit(amount: number, at: number): { readonly expected: string; readonly found: number } | undefined {
    if (at - this.beganAt > dayMs) {
      this.beganAt = at;
      this.spent = 0;
    }
    this.spent += amount;
    if (this.cap === 0 || this.spent <= this.cap) return undefined;
    return { expected: `at most ${this.cap} in 24 h`, found: this.spent };
  }

  /** Makes room again for what was charged today. */
  refund(amount: number, chargedAt: number): void {
    if (chargedAt >= this.beganAt) this.spent -= amount;
  }
}
