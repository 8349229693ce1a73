import { belongsToTenant, streamIsOfTenant, type EventOrigin } from '../audited-event.js';
import type { AuditFindings, Revision } from '../findings.js';

export interface AuditedStream {
  lastRevision: number;
  /** Undefined: it has no tenant, or none is known yet. */
  owner: string | undefined;
}

/** The last revision and the tenant of every stream of the history. */
export class AuditedStreams {
  private readonly streams = new Map<string, AuditedStream>();
  /** One text for each tenant, which all of its streams share. */
  private readonly tenants = new Map<string, string>();

  constructor(private readonly findings: AuditFindings) {}

  get size(): number {
    return this.streams.size;
  }

  /** Revisions are 0, 1, 2 … After a gap it counts on from the next event, so that each gap is reported once. */
  follow(place: EventOrigin): AuditedStream {
    const { stream: name, revision } = place;
    let stream = this.streams.get(name);
    if (!stream) this.streams.set(name, (stream = { lastRevision: -1, owner: undefined }));
    const expected = stream.lastRevision + 1;
    this.findings.checked('revisions');
    if (revision !== expected) {
      const message = revision > expected ? 'an event is missing before this one' : 'a revision comes twice';
      this.findings.wrongAt(place, 'revisions', message, expected, revision);
    }
    stream.lastRevision = revision;
    return stream;
  }

  /** `owner`: the tenant in the event's data, if any. The first event of a stream decides its tenant. */
  checkTenant(stream: AuditedStream, place: EventOrigin, owner: string | undefined): void {
    const { category, tenant } = place;
    if (!belongsToTenant(category)) return;
    const expected = stream.owner ?? ownerByName(place) ?? owner ?? tenant;
    stream.owner ??= this.shared(expected);
    this.findings.checked('tenants');
    if (tenant === expected && (owner ?? expected) === expected) return;
    for (const found of new Set([tenant, owner ?? expected])) {
      if (found !== expected)
        this.findings.wrongAt(place, 'tenants', 'an event of another tenant', expected, found);
    }
  }

  /** Undefined for a stream that does not exist. */
  lastRevisionOf(stream: string): number | undefined {
    return this.streams.get(stream)?.lastRevision;
  }

  /** Undefined for a stream that does not exist, or belongs to no tenant. */
  ownerOf(stream: string): string | undefined {
    return this.streams.get(stream)?.owner;
  }

  private shared(tenant: string): string {
    const known = this.tenants.get(tenant);
    if (known === undefined) this.tenants.set(tenant, tenant);
    return known ?? tenant;
  }
}

/** An account, a usage log and the webhooks are named after their tenant. */
function ownerByName({ category, streamId }: EventOrigin): string | undefined {
  return streamIsOfTenant(category) ? streamId : undefined;
}

/**
 * Finds ids that several events have. Memory holds each id as a rounded number, so equal numbers are only a
 * suspicion. A second reading compares the ids themselves.
 */
export class EventIds {
  private readonly seen: number[] = [];
  private suspects: ReadonlySet<number> = new Set();
  /** By suspected id, filled by the second reading. */
  private readonly places = new Map<string, Revision[]>();

  constructor(private readonly findings: AuditFindings) {}

  see(id: string): void {
    this.findings.checked('event-ids');
    this.seen.push(numberOf(id));
  }

  /** Call it after the first reading. */
  suspect(): void {
    const sorted = Float64Array.from(this.seen).sort();
    this.suspects = new Set(sorted.filter((number, index) => number === sorted[index - 1]));
  }

  /** Whether the history has to be read a second time. */
  get areSuspected(): boolean {
    return this.suspects.size > 0;
  }

  seeAgain(id: string, place: Revision): void {
    if (!this.suspects.has(numberOf(id))) return;
    const places = this.places.get(id) ?? [];
    places.push(place);
    this.places.set(id, places);
  }

  /** Call it after the second reading. */
  report(): void {
    for (const [id, [first, ...others]] of this.places) {
      if (!first) continue;
      const message = `event id ${id} was used before, in ${first.stream} at revision ${first.revision}`;
      for (const other of others) this.findings.wrongAt(other, 'event-ids', message, 'an id of its own', id);
    }
  }
}

/** The last 60 bits of a UUID, rounded to the 53 that a number has. */
function numberOf(id: string): number {
  return Number(`0x${id.slice(20, 23)}${id.slice(24)}`);
}
