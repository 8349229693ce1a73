import 'reflect-metadata';
import { describe, expect, it } from 'vitest';
import { unattended } from '@atelier/engine/conformance';
import type { Admission } from '#application/render/engine-run.js';
import { sandboxAlone, sandboxModel } from '#platform/image-models.js';
import { createLogger } from '#platform/logger.js';
import { openEngines } from './engines.module.js';
import type { RemoteParts } from './remote-model.js';

describe('the engine of a job', () => {
  const other = { ...sandboxModel, id: 'other' };
  // Nothing here is remote.
  const parts = { logger: createLogger('test', 'silent'), observer: undefined } as unknown as RemoteParts;
  const engines = openEngines({ ...sandboxAlone, models: [{ ...other, id: 'first' }, other] }, parts);
  const task = { environment: 'test', tenant: 'someone', jobId: 'j' } as const;
  const job = { operation: 'try-on', tenant: 'someone', request: {}, at: new Date().toISOString() };
  const engineFor = async (chosen: object) =>
    ((await engines.admit(task, { ...job, ...chosen }, [])) as Admission).engine;

  it('is that of the model that was chosen at dispatch; before models were chosen, of the one that the body names, or the first', async () => {
    const requests = [{}, { image_model: 'other' }, { model: 'other' }, { image_model: 'first' }];
    for (const chosen of [{ imageModel: 'other' }, ...requests.map((request) => ({ request }))]) {
      expect((await engineFor(chosen)).name).toBe('sketch');
    }
  });

  it('refuses for a model that is not configured any more', async () => {
    for (const gone of [{ request: { image_model: 'gone' } }, { imageModel: 'gone' }]) {
      const engine = await engineFor(gone);
      // It looks at neither.
      const refused = engine.render({} as never, unattended() as never);
      await expect(refused).rejects.toMatchObject({ errorClass: 'misconfigured' });
    }
  });
});
