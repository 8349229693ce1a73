import { wordsOptions } from '#adapters/event-log.module.js';
import { EventStoreError } from '#event-store/event-store.js';
import { openEventStore } from '#event-store/open-event-store.js';
import { CallRefused } from '#operator-calls/call-refused.js';
import { findConfiguration } from '#operator-calls/find-configuration.js';
import { printJson, printLine } from '#operator-calls/output.js';
import type { OutputOptions } from '#operator-calls/verb.js';

/**
 * Wraps every data key by the present master key. It may be stopped and run again, and roles may run meanwhile. Events
 * stay as they are.
 */
export async function rewrapKeys({ json }: OutputOptions): Promise<void> {
  const configuration = findConfiguration();
  await using opened = await openEventStore(configuration, {
    maxConnections: 1,
    words: wordsOptions(configuration),
  });
  if (!opened.keys)
    throw new CallRefused(
      'ATELIER_MASTER_KEY is not set: set it to the new master key, and ATELIER_ACCEPTED_MASTER_KEYS to the old one',
    );
  const rewrapped = await opened.keys.rewrap().catch((error: unknown) => {
    throw error instanceof EventStoreError ? new CallRefused(error.message) : error;
  });
  if (json) return printJson({ rewrapped });
  printLine(
    rewrapped > 0
      ? `${rewrapped} data keys are wrapped by the present master key now. Restart the roles without the old one.`
      : 'Every data key is wrapped by the present master key.',
  );
}
