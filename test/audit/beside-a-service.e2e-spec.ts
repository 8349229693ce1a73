import { testSigningKey } from '../support/signing-key.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EngineError } from '@atelier/engine';
import { run } from '../standalone/support/atelier.js';
import { dispatchBatch } from '../worker/support/batches.js';
import { engineThat } from '../worker/support/engines.js';
import { Workshop } from '../worker/support/workshop.js';

let workshop: Workshop;

beforeAll(async () => {
  workshop = await Workshop.open();
  await workshop.startProjector();
  const engine = engineThat(({ body }) =>
    body['gender'] === 'MALE'
      ? Promise.reject(new EngineError('policy', 'this one is refused'))
      : Promise.resolve(),
  );
  await workshop.startWorker(engine);
});

afterAll(() => workshop[Symbol.asyncDispose]());

async function audit() {
  const env = {
    DATABASE_URL: workshop.databaseUrl,
    URL_SIGNING_SECRET: 'x',
    ATELIER_SIGNING_KEY: testSigningKey,
  };
  const { code, stdout, stderr } = await run(
    'capabilities/operate/main.js',
    ['ledger', 'audit', '--json'],
    workshop.folder,
    {
      env,
    },
  );
  const { findings, events } = JSON.parse(stdout) as { findings: unknown[]; events: number };
  expect({ code, stderr, findings }).toEqual({ code: 0, stderr: '', findings: [] });
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
