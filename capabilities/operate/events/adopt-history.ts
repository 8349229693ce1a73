import { proofOptions } from '#adapters/event-log.module.js';
import { adoptHistory } from '#event-store/authentic/adopted-history.js';
import { EventMacs } from '#event-store/authentic/event-macs.js';
import {
  findUnproven,
  type CountedEvents,
  type UnprovenEvents,
} from '#event-store/authentic/unproven-events.js';
import { openEventStore } from '#event-store/open-event-store.js';
import { systemClock } from '#platform/clock.js';
import { personAtTerminal } from '../connected-operator.js';
import { printJson, printLine } from '#operator-calls/output.js';
import { withProgress } from '../command/progress.js';
import { findConfiguration } from '#operator-calls/find-configuration.js';
import { CallRefused } from '#operator-calls/call-refused.js';
import type { OutputOptions } from '#operator-calls/verb.js';

export interface AdoptOptions extends OutputOptions {
  /** How many events without proof the operator has looked at and answers for. */
  readonly accept?: number;
}

/**
 * Fixes the position up to which the log is believed although its events carry no proof. Before that, it counts
 * the events of older releases and of earlier keys: the operator answers for that number.
 */
export async function adoptEvents({ accept = 0, json }: AdoptOptions): Promise<void> {
  const configuration = findConfiguration();
  const proof = proofOptions(configuration);
  if (!proof)
    throw new CallRefused(
      'nothing can be proven without ATELIER_SIGNING_KEY: give it the value that the service has',
    );
  await using opened = await openEventStore(configuration, {
    maxConnections: 2,
    proof: { ...proof, acceptUnproven: false },
  });
  const { store } = opened;
  const through = (await store.head()) ?? 0n;
  const found = await withProgress('stopped, and nothing was adopted', (signal, onProgress) => {
    let events = 0;
    return findUnproven(store, new EventMacs(proof), { through, signal }, (stretch) => {
      events += stretch.events.length;
      onProgress({ phase: 'looking', position: stretch.position, from: 0n, through, events });
    });
  });
  refuseUnlessAccepted(found, accept);
  const { unproven, earlier } = found;
  const isNeeded = unproven.count > 0 || earlier.count > 0;
  if (isNeeded) {
    const adoption = { through, unproven: unproven.count, actor: `command:${personAtTerminal()}` };
    await adoptHistory(store, adoption, systemClock());
  }
  if (json)
    return printJson({
      adopted: isNeeded,
      through: isNeeded ? String(through) : null,
      unproven: unproven.count,
      earlier_keys: earlier.count,
    });
  printLine(
    isNeeded
      ? `Adopted through position ${through}: ${unproven.count} events without proof, ${earlier.count} with proof of an earlier key.`
      : 'Nothing to adopt: every event carries proof, or is adopted already.',
  );
  if (proof.acceptUnproven)
    printLine('Now remove ATELIER_UNPROVEN_EVENTS from the settings of every role, and restart all roles.');
}

function refuseUnlessAccepted({ unproven, altered }: UnprovenEvents, accept: number): void {
  if (altered.count > 0)
    throw new CallRefused(
      `${altered.count} events were altered after they were written: ${listed(altered)}. An adoption does not cover them. Restore the log from a backup (docs/seals.md)`,
    );
  if (unproven.count === accept) return;
  throw new CallRefused(
    `${unproven.count} events carry no proof of their writer: ${listed(unproven)}. Adopt them only if an older release of this service wrote them: run the command again with --accept ${unproven.count}`,
  );
}

function listed({ count, first }: CountedEvents): string {
  const names = first.map(
    ({ type, stream, revision, position }) =>
      `${type} at revision ${revision} of ${stream} (position ${position})`,
  );
  return `${names.join(', ')}${count > names.length ? ' …' : ''}`;
}
