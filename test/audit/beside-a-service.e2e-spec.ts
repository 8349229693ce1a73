import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { EngineError } from '@atelier/engine';
import { dispatchBatch } from '../worker/support/batches.js';
import { engineThat } from '../worker/support/engines.js';
import { Workshop } from '../worker/support/workshop.js';
import { untilEnd } from '../support/until-end.js';
import { verbsOn } from '../cli/support/verbs.js';

const workshop = untilEnd(await Workshop.open());
await workshop.startProjector();
await workshop.startWorker(
  engineThat(({ body }) =>
    body['gender'] === 'MALE'
      ? Promise.reject(new EngineError('policy', 'this one is refused'))
      : Promise.resolve(),
  ),
);

async function audit(): Promise<number> {
  const { findings, events } = await verbsOn(workshop).json(['ledger', 'audit']);
  expect(findings).toEqual([]);
  return events;
}

describe('the audit beside a service under load', () => {
  it('raises no alarm while jobs are dispatched, rendered, fail, and are closed', async () => {
    const tenant = await workshop.tenantWith(1_000_000);
    await dispatchBatch(workshop, 2, 'children');
    const stopping = new AbortController();
    const load = (async () => {
      for (let n = 0; !stopping.signal.aborted; n++) {
        await workshop.dispatch(tenant, { gender: n % 4 === 0 ? 'MALE' : 'FEMALE' });
        await sleep(15);
      }
    })();
    try {
      let events = 0;
      for (let round = 0; round < 3; round++) {
        const now = await audit();
        expect(now).toBeGreaterThan(events);
        events = now;
      }
    } finally {
      stopping.abort();
      await load;
    }
  });
});
