import { belongsToTenant, streamIsOfTenant, type EventOrigin } from '../audited-event.js';
import type { AuditFindings, Revision } from '../findings.js';
import { Column, hashKey, KeyIndex } from '../memory/columns.js';

/** The last revision and the tenant of every stream of the history. */
export class AuditedStreams {
  private readonly index = new KeyIndex();
  private readonly lastRevisions = Column.int32();
  /** By number of the stream: the number of the tenant, plus 1. 0: it has no tenant, or none is known yet. */
  private readonly owners = Column.uint32();
  private readonly tenantNumbers = new Map<string, number>();
  private readonly tenants: string[] = [];

  constructor(private readonly findings: AuditFindings) {}

  get size(): number {
    return this.index.size;
  }

  /**
   * Revisions are 0, 1, 2 … After a gap it counts on from the next event, so that each gap is reported once.
   * @returns the stream's number
   */
  follow(place: EventOrigin): number {
    const { stream, revision } = place;
    const before = this.index.size;
    const number = this.index.add(hashKey(stream));
    const expected = number === before ? 0 : this.lastRevisions.get(number) + 1;
    this.findings.checked('revisions');
    if (revision !== expected) {
      const message = revision > expected ? 'an event is missing before this one' : 'a revision comes twice';
      this.findings.wrongAt(place, 'revisions', message, expected, revision);
    }
    this.lastRevisions.set(number, revision);
    return number;
  }

  /** `owner`: the tenant in the event's data, if any. The first event of a stream decides its tenant. */
  checkTenant(number: number, place: EventOrigin, owner: string | undefined): void {
    const { category, tenant } = place;
    if (!belongsToTenant(category)) return;
    const known = this.tenants[this.owners.get(number) - 1];
    const expected = known ?? ownerByName(place) ?? owner ?? tenant;
    if (known === undefined) this.owners.set(number, this.numberOf(expected) + 1);
    this.findings.checked('tenants');
    if (tenant === expected && (owner ?? expected) === expected) return;
    for (const found of new Set([tenant, owner ?? expected])) {
      if (found !== expected)
        this.findings.wrongAt(place, 'tenants', 'an event of another tenant', expected, found);
    }
  }

  /** Undefined for a stream that does not exist. */
  lastRevisionOf(stream: string): number | undefined {
    const number = this.index.find(hashKey(stream));
    return number < 0 ? undefined : this.lastRevisions.get(number);
  }

  /** Undefined for a stream that does not exist, or belongs to no tenant. */
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
    return this.tenants[number] ?? 'unknown';
  }
}

/** An account, a usage log and the webhooks are named after their tenant. */
function ownerByName({ category, streamId }: EventOrigin): string | undefined {
  return streamIsOfTenant(category) ? streamId : undefined;
}

/**
 * Ids of events by their hash. Equal hashes are only a suspicion: the events are read again, and only equal ids are
 * wrong.
 */
export class EventIds {
  private readonly index = new KeyIndex();
  readonly suspects = new Set<string>();
  /** By suspected id, filled by the second reading. */
  private readonly places = new Map<string, Revision[]>();

  constructor(private readonly findings: AuditFindings) {}

  see(id: string): void {
    this.findings.checked('event-ids');
    const before = this.index.size;
    if (this.index.add(hashKey(id)) < before) this.suspects.add(id);
  }

  seeAgain(id: string, place: Revision): void {
    if (!this.suspects.has(id)) return;
    const places = this.places.get(id) ?? [];
    places.push(place);
    this.places.set(id, places);
  }

  /** After the second reading. */
  report(): void {
    for (const [id, [first, ...others]] of this.places) {
      if (!first) continue;
      const message = `event id ${id} was used before, in ${first.stream} at revision ${first.revision}`;
      for (const other of others) this.findings.wrongAt(other, 'event-ids', message, 'an id of its own', id);
    }
  }
}
