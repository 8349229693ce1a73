import type { AuditedEvent } from '#audit/audited-event.js';
import type { MadeCharge } from '../../support/judged-history.js';

export type Report = (violation: string) => void;

/** Ids are long and differ at their end. */
export function short(id: string): string {
  return id.slice(-5);
}

interface Terms {
  readonly credits: number;
  readonly enabled: boolean;
}

/** What each workflow costs for each job before the operator decides, as the interface says. */
const listed: Readonly<Record<string, number>> = {
  extract: 1,
  'background-generator': 5,
  'pdp-extractions': 4,
  'pdp-batch-extractions': 4,
};

const batchOf: Readonly<Record<string, string>> = { 'pdp-batch-extractions': 'pdp-extractions' };

/** A charge is made at a price, and of a workflow, that was in force at some moment since it was asked for. */
export class PriceBook {
  /** The terms of each workflow, from the first to today's. */
  private readonly terms = new Map<string, Terms[]>();
  /** By request: how many terms of each workflow there were when it was made. */
  private readonly askedPrices = new Map<string, ReadonlyMap<string, number>>();

  constructor(private readonly report: Report) {
    for (const [operation, credits] of Object.entries(listed))
      this.terms.set(operation, [{ credits, enabled: true }]);
  }

  asked(requestId: string): void {
    this.askedPrices.set(
      requestId,
      new Map([...this.terms].map(([operation, all]) => [operation, all.length])),
    );
  }

  observe(event: AuditedEvent): void {
    switch (event.type) {
      case 'CreditsDebited':
        return this.debited(event.data);
      case 'OperationPriced':
        return this.change(event.streamId, { credits: event.data.credits });
      case 'OperationEnabled':
        return this.change(event.streamId, { enabled: true });
      case 'OperationDisabled':
        return this.change(event.streamId, { enabled: false });
      default:
        return;
    }
  }

  private change(operation: string, change: Partial<Terms>): void {
    const terms = this.terms.get(operation);
    const today = terms?.at(-1);
    if (today) terms?.push({ ...today, ...change });
  }

  private debited({ chargeId, requestId, operation, amount }: MadeCharge): void {
    const since = this.askedPrices.get(requestId);
    // Ids that were drawn on the way, for a key whose first try came to nothing.
    if (!since) return;
    const inForce = (name: string) => this.terms.get(name)?.slice((since.get(name) ?? 1) - 1) ?? [];
    const costs = inForce(batchOf[operation] ?? operation).map(({ credits }) => credits);
    if (!costs.includes(amount))
      this.report(`the charge ${short(chargeId)} is ${amount}, at prices of ${costs.join(', ')}`);
    if (!inForce(operation).some(({ enabled }) => enabled))
      this.report(`the charge ${short(chargeId)} is for ${operation}, which was disabled before`);
  }
}
