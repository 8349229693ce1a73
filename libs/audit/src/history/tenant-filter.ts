import type { RecordedEvent } from '#event-store/event-store.js';
import { belongsToTenant, type EventPlace } from '../audited-event.js';

/** Which events an audit of one tenant looks at: those of the tenant's streams, whoever they say they are of. */
export class TenantFilter {
  private readonly streams = new Set<string>();

  constructor(private readonly tenant: string | undefined) {}

  /** To be asked of every event of the log, in its order. */
  concerns({ data }: Pick<RecordedEvent, 'data'>, place: EventPlace): boolean {
    if (this.tenant === undefined) return true;
    const { stream, category, streamId, tenant } = place;
    if (!belongsToTenant(category)) return false;
    if (category === 'account' || category === 'usage') return streamId === this.tenant;
    if (this.streams.has(stream)) return true;
    const owner = (data as { tenant?: unknown } | null)?.tenant ?? tenant;
    if (owner !== this.tenant) return false;
    this.streams.add(stream);
    return true;
  }
}
