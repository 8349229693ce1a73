import { testMasterKey, testSigningKey } from '../../../test/support/signing-key.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServerResponse } from 'node:http';
import { sandboxModel, type ImageModel } from '#platform/image-models.js';
import type { PgBossRenderQueue } from '#render-queue/pg-boss-render-queue.js';
import { runCommand } from '../../../test/support/command.js';
import { expectAuditToHold } from '../../../test/support/audited.js';
import { eventually } from '../../../test/support/eventually.js';
import { Workshop } from '../../../test/worker/support/workshop.js';
import { OpenAiDouble } from './families/openai.js';
import { enginesOf, tryOnIn } from './support/try-ons.js';
import type { Asked, Turn } from './support/vendor-double.js';

/*
 * The limits of a model over all workers. Two workers each have room for more than the model has, and the
 * vendor itself counts how many requests came at the same time.
 */

class CrowdedDouble extends OpenAiDouble {
  now = 0;
  most = 0;

  protected override async answer(asked: Asked, response: ServerResponse, turn: Turn): Promise<void> {
    this.most = Math.max(this.most, ++this.now);
    // Waits until there is a second request, and then long enough for more to come.
    await eventually(() => this.most > 1);
    await new Promise((resolve) => setTimeout(resolve, 150));
    this.now--;
    await super.answer(asked, response, turn);
  }
}

class TroubledDouble extends OpenAiDouble {
  protected override answer(asked: Asked, response: ServerResponse): Promise<void> {
    return super.answer(asked, response, 'broken');
  }
}

const double = new CrowdedDouble();
const troubled = new TroubledDouble();
let workshop: Workshop;
let tenant: string;
let body: Record<string, unknown>;
let models: ImageModel[];

const engines = (queue: PgBossRenderQueue) => enginesOf({ models }, queue, { restMs: 60_000 });

beforeAll(async () => {
  // No worker dies here, so a worker that a busy machine holds up must not be taken for dead.
  workshop = await Workshop.open({ heartbeatSeconds: 120 });
  await workshop.startProjector();
  tenant = await workshop.tenantWith(10_000);
  body = await tryOnIn(workshop, tenant);
  const endpoint = await double.open();
  const common: ImageModel = {
    ...sandboxModel,
    family: 'openai',
    endpoint,
    id: 'narrow',
    price_per_picture: 0.04,
  };
  models = [
    { ...common, concurrency: 2 },
    { ...common, id: 'slow', requests_per_minute: 3 },
    { ...common, id: 'troubled', endpoint: await troubled.open(), fallback: 'narrow' },
    sandboxModel,
    { ...sandboxModel, id: 'drawn-here' },
  ];
  await Promise.all([workshop.startWorker(engines), workshop.startWorker(engines)]);
});
afterAll(async () => {
  await workshop[Symbol.asyncDispose]();
  await Promise.all([double.close(), troubled.close()]);
});

const dispatch = (model: string) => workshop.dispatch(tenant, body, 'try-on', model);

describe('an image model', () => {
  it('is asked by as many renders at a time as it bears, and the others wait without using up an attempt', async () => {
    double.most = 0;
    const jobs = await Promise.all(Array.from({ length: 10 }, () => dispatch('narrow')));
    for (const ids of jobs) await workshop.ended(tenant, ids);
    expect(double.most).toBe(2);
    for (const { jobId } of jobs) {
      expect(await workshop.types('job', jobId)).toEqual([
        'JobQueued',
        'RenderStarted',
        'EngineCalled',
        'EngineAnswered',
        'JobSucceeded',
      ]);
    }
  });

  it('has what it cost in the books of the operator', async () => {
    await workshop.readModelsCaughtUp();
    const env = {
      DATABASE_URL: workshop.databaseUrl,
      URL_SIGNING_SECRET: 'for tests only',
      ATELIER_SIGNING_KEY: testSigningKey,
      ATELIER_MASTER_KEY: testMasterKey,
    };
    const costs = (...more: string[]) =>
      runCommand(['costs', '--by', 'model', '--env', 'test', ...more], workshop.folder, { env });
    const { costs: lines } = JSON.parse((await costs('--json')).stdout) as { costs: object[] };
    expect(lines).toEqual([
      {
        group: 'narrow',
        jobs: 10,
        credits_taken: 100,
        credits_returned: 0,
        calls: 10,
        currency: 'USD',
        price: 0.4,
        margin: null,
        lost_jobs: 0,
        lost_price: 0,
      },
    ]);
    expect((await costs('--csv')).stdout).toContain('narrow,10,100,0,10,USD,0.4,,0,0');
  });

  it('is asked as often in a minute as it bears', async () => {
    const before = double.submissions;
    const jobs = await Promise.all(Array.from({ length: 5 }, () => dispatch('slow')));
    const looked = async () =>
      (await workshop.query(`select from pgboss.job where data->>'model' = 'slow' and state = 'retry'`))
        .rowCount;
    await eventually(async () => (await looked()) === 2);
    await eventually(() => Promise.resolve(double.submissions - before === 3));
    const types = await Promise.all(jobs.map(({ jobId }) => workshop.types('job', jobId)));
    expect(types.filter((each) => each.length === 1)).toHaveLength(2);
  });

  it('that draws on this machine is named by its own id', async () => {
    const drawnBy = async (model: string) => {
      const ids = await workshop.dispatch(tenant, {}, 'background-generator', model);
      await workshop.ended(tenant, ids);
      return workshop.find('job', ids.jobId, 'JobSucceeded');
    };
    expect(await drawnBy('drawn-here')).toMatchObject([{ provenance: { model: 'drawn-here' } }]);
    expect(await drawnBy('sketch-1')).toMatchObject([{ provenance: { model: 'sketch-1' } }]);
  });

  it('rests after repeated trouble, and its jobs go to the fallback without asking it', async () => {
    const first = await Promise.all(Array.from({ length: 10 }, () => dispatch('troubled')));
    for (const ids of first) await workshop.ended(tenant, ids);
    await eventually(async () => {
      const { jobId, requestId } = await dispatch('troubled');
      await workshop.ended(tenant, { jobId, requestId });
      const models = (await workshop.find('job', jobId, 'EngineCalled')).map(({ model }) => model);
      return models.length === 1 && models[0] === 'narrow';
    });
  });
});

it('the audit raises no alarm over all that happened here', () => expectAuditToHold(workshop));
