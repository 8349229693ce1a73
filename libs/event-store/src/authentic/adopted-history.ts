import { eventId, newId } from '#platform/ids.js';
import type { EventStore, RecordedEvent } from '../event-store.js';
import type { EventMacs, MacVerdict } from './event-macs.js';

/**
 * The stream of adoptions. Each adoption says up to which position events without a MAC count. The stream
 * belongs to no environment.
 */
export const adoptionStream = 'atelier.adoptions';

/**
 * An operator has looked at the events without proof, and accepts them. The event's data is an
 * {@link Adoption}.
 */
export const historyAdopted = 'HistoryAdopted';

export interface Adoption {
  /** The log that the positions belong to: {@link EventStore.identity}. */
  readonly log: string;
  /** Events up to this position, inclusive, need no proof. In decimals. */
  readonly through: string;
  /** Events among them that have none, as they were counted. */
  readonly unproven: number;
}

/** The positions up to which events count without the proof that all later events need. */
export interface Adopted {
  /** For events without a MAC, or with a MAC of a key that this process does not know. */
  readonly withoutProof: bigint;
  /**
   * For events of a key that has been replaced. Undefined: no adoption under the current key, so they count
   * everywhere.
   */
  readonly earlierKeys: bigint | undefined;
}

const nothing: Adopted = { withoutProof: 0n, earlierKeys: undefined };

type Source = Pick<EventStore, 'readStream' | 'identity'>;

/** @throws EventStoreUnavailable */
export async function readAdopted(store: Source, macs: EventMacs): Promise<Adopted> {
  const events = await adoptionsIn(store);
  if (events.length === 0) return nothing;
  const log = await store.identity();
  return events.reduce((adopted, event) => {
    const verdict = macs.verdictOn(event);
    if (verdict !== 'current' && verdict !== 'accepted') return adopted;
    // Only this service makes such a MAC.
    const adoption = event.data as Adoption;
    if (event.type !== historyAdopted || adoption.log !== log) return adopted;
    const through = BigInt(adoption.through);
    return { withoutProof: through, earlierKeys: verdict === 'current' ? through : adopted.earlierKeys };
  }, nothing);
}

/**
 * Records that only events after the position need proof. An operator calls it once for a log that is older
 * than the proof, and again after the replacement of a signing key.
 * @param macs the MACs of the store to append to
 * @throws what the store throws
 */
export async function adoptHistory(
  store: Pick<EventStore, 'readStream' | 'identity' | 'append'>,
  {
    through,
    unproven,
    actor,
  }: { readonly through: bigint; readonly unproven: number; readonly actor: string },
  at: Date,
): Promise<void> {
  const log = await store.identity();
  const data: Adoption = { log, through: String(through), unproven };
  for (;;) {
    const last = (await adoptionsIn(store)).at(-1);
    const requestId = newId();
    const metadata = {
      requestId,
      causationId: requestId,
      tenant: 'installation',
      actor,
      schemaVersion: 1,
      recordedAt: at.toISOString(),
    };
    const event = { id: eventId(requestId, 0), type: historyAdopted, data, metadata };
    const { outcome } = await store.append(adoptionStream, last?.revision ?? 'no-stream', [event]);
    if (outcome === 'appended') return;
  }
}

async function adoptionsIn(store: Pick<EventStore, 'readStream'>): Promise<readonly RecordedEvent[]> {
  const slice = await store.readStream(adoptionStream, { unprovenToo: true });
  return slice.kind === 'found' ? slice.events : [];
}

/** Why an event does not count; undefined: it does. */
export function objectionTo(
  verdict: MacVerdict,
  position: bigint,
  { withoutProof, earlierKeys }: Adopted,
): string | undefined {
  switch (verdict) {
    case 'current':
      return undefined;
    case 'accepted':
      if (earlierKeys === undefined || position <= earlierKeys) return undefined;
      return 'carries the MAC of a signing key that had been replaced before';
    case 'none':
      return position <= withoutProof ? undefined : 'carries no MAC';
    case 'unknown-key':
      return position <= withoutProof ? undefined : 'carries a MAC of a key that this process was not given';
    case 'wrong':
      return 'carries a MAC that does not fit it';
  }
}
