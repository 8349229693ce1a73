import type { AuditedEvent } from '#capabilities/operate/audit/audited-event.js';
import type { MadeCharge } from '../../support/judged-history.js';

export type Report = (violation: string) => void;

/** Ids are long and differ at their end. */
export function short(id: string): string {
  return id.slice(-5);
}

interface Terms {
  readonly credits: number;
  readonly enabled: boolean;
  /** Prices by the moment from which they count. */
  readonly scheduled: ReadonlyMap<number, number>;
}

/** The prices of a dispatch at all moments of a period, under these terms. */
function pricesBetween({ credits, scheduled }: Terms, since: number, until: number): number[] {
  const moments = [...scheduled.keys()].sort((one, other) => one - other);
  const before = moments.findLast((from) => from <= since);
  const priceFrom = (from: number | undefined) =>
    (from === undefined ? undefined : scheduled.get(from)) ?? credits;
  return [priceFrom(before), ...moments.filter((from) => from > since && from <= until).map(priceFrom)];
}

/** The time of a request, and the number of terms that each workflow had by then. */
interface Asked {
  readonly at: number;
  readonly terms: ReadonlyMap<string, number>;
}

/** The price of one job of each workflow before any decision of the operator, as the interface lists it. */
const listed: Readonly<Record<string, number>> = {
  extract: 1,
  'background-generator': 5,
  'pdp-extractions': 4,
  'pdp-batch-extractions': 4,
};

const batchOf: Readonly<Record<string, string>> = { 'pdp-batch-extractions': 'pdp-extractions' };

/** The price of a charge, and the workflow's being enabled, must have held at some moment since the request. */
export class PriceBook {
  /** The terms of each workflow, from the first to today's. */
  private readonly terms = new Map<string, Terms[]>();
  private readonly requests = new Map<string, Asked>();

  constructor(
    private readonly report: Report,
    private readonly now: () => number,
  ) {
    for (const [operation, credits] of Object.entries(listed))
      this.terms.set(operation, [{ credits, enabled: true, scheduled: new Map() }]);
  }

  asked(requestId: string): void {
    const terms = new Map([...this.terms].map(([operation, all]) => [operation, all.length]));
    this.requests.set(requestId, { at: this.now(), terms });
  }

  observe(event: AuditedEvent): void {
    switch (event.type) {
      case 'CreditsDebited':
        return this.debited(event.data);
      case 'OperationPriced':
        return this.change(event.streamId, ({ scheduled }) => {
          const later = [...scheduled].filter(([from]) => from > Date.parse(event.data.at));
          return { credits: event.data.credits, scheduled: new Map(later) };
        });
      case 'OperationPriceScheduled':
        return this.change(event.streamId, (today) => {
          const scheduled = new Map(today.scheduled);
          const { credits, from } = event.data;
          if (credits === null) scheduled.delete(Date.parse(from));
          else scheduled.set(Date.parse(from), credits);
          return { scheduled };
        });
      case 'OperationEnabled':
        return this.change(event.streamId, () => ({ enabled: true }));
      case 'OperationDisabled':
        return this.change(event.streamId, () => ({ enabled: false }));
      default:
        return;
    }
  }

  private change(operation: string, change: (today: Terms) => Partial<Terms>): void {
    const terms = this.terms.get(operation);
    const today = terms?.at(-1);
    if (today) terms?.push({ ...today, ...change(today) });
  }

  private debited({ chargeId, requestId, operation, amount }: MadeCharge): void {
    const asked = this.requests.get(requestId);
    // Ids that were drawn during a request, for a key whose first try failed.
    if (!asked) return;
    const inForce = (name: string) => this.terms.get(name)?.slice((asked.terms.get(name) ?? 1) - 1) ?? [];
    const priced = inForce(batchOf[operation] ?? operation);
    const costs = priced.flatMap((terms) => pricesBetween(terms, asked.at, this.now()));
    if (!costs.includes(amount))
      this.report(`the charge ${short(chargeId)} is ${amount}, at prices of ${costs.join(', ')}`);
    if (!inForce(operation).some(({ enabled }) => enabled))
      this.report(`the charge ${short(chargeId)} is for ${operation}, which was disabled before`);
  }
}
