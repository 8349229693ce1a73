import { openStorage } from '#adapters/object-storage.module.js';
import { environments } from '#domain/streams.js';
import type { RedoneWork } from '#operator-calls/redone-work.js';
import { systemClock } from '#platform/clock.js';
import { KeptErasures } from './kept-erasures.js';
import { Erasures } from './manage-erasures.handler.js';

/** The erasures since a backup: a service that starts on its log does them again. */
export const redoneErasures: RedoneWork = {
  what: 'erasures',
  async count(store, configuration) {
    const storage = await openStorage(configuration);
    try {
      const kept = new KeptErasures(storage, configuration);
      const at = { now: systemClock(), days: configuration.erasure.backupDays };
      const compared = environments.map((each) => kept.compareWith(new Erasures(store), each, at));
      return (await Promise.all(compared)).flatMap(({ unknown }) => unknown).length;
    } finally {
      if ('close' in storage) storage.close();
    }
  },
};
