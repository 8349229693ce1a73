import { belongsToTenant, type EventPlace } from '../audited-event.js';
import type { Findings } from '../findings.js';
import { Column } from '../memory/column.js';
import { hashKey } from '../memory/hash.js';
import { KeyIndex } from '../memory/key-index.js';

/** Every stream of the history: how far it has come, and whose it is. */
export class Streams {
  private readonly index = new KeyIndex();
  private readonly lastRevisions = Column.int32();
  /** By number of the stream; the number of the tenant, plus 1. 0: of nobody, or not known yet. */
  private readonly owners = Column.uint32();
  private readonly tenantNumbers = new Map<string, number>();
  private readonly tenants: string[] = [];

  constructor(private readonly findings: Findings) {}

  get size(): number {
    return this.index.size;
  }

  /**
   * Revisions 0, 1, 2 …; what follows a gap is counted on from there, so that one gap is told once.
   * @returns the stream's number
   */
  follow({ stream, revision }: EventPlace): number {
    const before = this.index.size;
    const number = this.index.add(hashKey(stream));
    const expected = number === before ? 0 : this.lastRevisions.get(number) + 1;
    this.findings.checked('revisions');
    if (revision !== expected) {
      const message = revision > expected ? 'an event is missing before this one' : 'a revision comes twice';
      this.findings.wrong({ check: 'revisions', message, stream, revision, expected, found: revision });
    }
    this.lastRevisions.set(number, revision);
    return number;
  }

  /** `owner`: as the event's data says, where it does. The first event of a stream says whose it is. */
  checkTenant(number: number, place: EventPlace, owner: string | undefined): void {
    const { stream, revision, category, tenant } = place;
    if (!belongsToTenant(category)) return;
    const known = this.owners.get(number);
    const expected = known > 0 ? this.tenants[known - 1]! : (ownerByName(place) ?? owner ?? tenant);
    if (known === 0) this.owners.set(number, this.numberOf(expected) + 1);
    this.findings.checked('tenants');
    if (tenant === expected && (owner ?? expected) === expected) return;
    for (const found of new Set([tenant, owner ?? expected])) {
      if (found === expected) continue;
      const message = 'an event of another tenant';
      this.findings.wrong({ check: 'tenants', message, stream, revision, expected, found });
    }
  }

  /** Undefined for a stream that there is not, or that is nobody's. */
  ownerOf(stream: string): string | undefined {
    const number = this.index.find(hashKey(stream));
    return number < 0 ? undefined : this.tenants[this.owners.get(number) - 1];
  }

  /** A small number for each tenant, for typed columns. */
  numberOf(tenant: string): number {
    let number = this.tenantNumbers.get(tenant);
    if (number === undefined) {
      number = this.tenants.push(tenant) - 1;
      this.tenantNumbers.set(tenant, number);
    }
    return number;
  }

  tenantOf(number: number): string {
    return this.tenants[number] ?? 'nobody';
  }
}

/** An account and a usage log are named after their tenant. */
function ownerByName({ category, streamId }: EventPlace): string | undefined {
  return category === 'account' || category === 'usage' ? streamId : undefined;
}
