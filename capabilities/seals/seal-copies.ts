import type { EventStore } from '#event-store/event-store.js';
import { CallRefused } from '#operator-calls/call-refused.js';
import type { LogCopies } from '#operator-calls/copied-log.js';
import { eventId, newId } from '#platform/ids.js';
import { acceptNow, readHead } from './heads.js';
import { misfitOfHead } from './kept-heads.js';
import { sealStream, sourceSealed } from './seal.events.js';
import { readChainEnd, sealDigest } from './seal.js';

/**
 * Seals hold for one log only. So the target of a copy is sealed anew, and its chain names the log that it came
 * from.
 */
export const sealCopies: LogCopies = {
  copied: ({ source, target }) => nameSourceSeal(source, target),

  /**
   * The copy was verified. So the move gives nothing up, as long as the source held the head that is kept
   * outside the database.
   */
  async moved(configuration, { source, target }, by) {
    const { key } = configuration.sealing;
    const end = await readChainEnd(target);
    const head = key && (await readHead(configuration, end));
    if (!key || !head || (await misfitOfHead(target, head)) === undefined) return;
    const misfit = await misfitOfHead(source, head);
    if (misfit !== undefined)
      throw new CallRefused(
        `${misfit}: the events and the checkpoints are moved, but the source differs from what was sealed. Run "atelier ledger audit". To let sealing go on all the same, run "atelier seal accept"`,
      );
    await acceptNow(configuration, key, end, by);
  },
};

/**
 * Writes the last seal of the source into the target's chain, and the next seal names it. A reader who has kept
 * the source's last seal can then see where the copy came from.
 * @throws what the stores throw
 */
async function nameSourceSeal(source: EventStore, target: EventStore): Promise<void> {
  const { seal } = await readChainEnd(source);
  if (!seal) return;
  const digest = sealDigest(seal);
  for (;;) {
    const end = await readChainEnd(target);
    const named = end.source ? sealDigest(end.source) : end.seal?.source;
    if (named === digest) return;
    const requestId = newId();
    const metadata = {
      requestId,
      causationId: requestId,
      tenant: 'installation',
      actor: 'operator',
      schemaVersion: 1,
      recordedAt: new Date().toISOString(),
    };
    const id = eventId(`${digest} after ${end.revision}`, 0);
    const event = { id, type: sourceSealed, data: seal, metadata };
    const { outcome } = await target.append(sealStream, end.revision, [event]);
    if (outcome === 'appended') return;
    // A sealer has appended to the target's chain: try again behind its seal.
  }
}
