import { fork, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import sharp from 'sharp';
import { newId } from '#platform/ids.js';
import { sandboxModel, type ImageModel } from '#platform/image-models.js';
import { FalDouble, OpenAiDouble, type VendorDouble } from '../../engines/doubles/vendor-double.js';
import { Workshop } from '../../worker/support/workshop.js';
import type { KillPlan } from './calling-worker.js';

/*
 * `kill -9` of the worker at each point of a call to a vendor, and the vendor's own count as the witness: no job is ever
 * submitted twice.
 */

// Hundreds of starts of a worker, on however busy a machine.
jest.setTimeout(1_200_000);

/** `npm run test:crash` kills 200 times and more, at each point of both kinds of vendors; the tests a few times. */
const kills = Number(process.env['KILL_CALLS'] ?? 0);
const few = ['after EngineCalled', 'after submission', 'after EngineSubmitted', 'after EngineAnswered'];
const workers = kills > 0 ? 3 : 2;

/** How often the vendor was asked for a job, and how the job ended. */
type Ends = readonly [submissions: number, end: 'JobSucceeded' | 'JobFailed'];
const once: Ends = [1, 'JobSucceeded'];
/** Nobody can know whether a call that was on record had been made. */
const perhaps: Ends = [0, 'JobFailed'];
const lost: Ends = [1, 'JobFailed'];

const shared: Record<string, Ends> = {
  'after RenderStarted': once,
  'before EngineCalled': once,
  'after EngineCalled': perhaps,
  'before submission': perhaps,
  'after submission': lost,
  'after EngineAnswered': once,
  'before picture kept': once,
  'after picture kept': once,
  'before JobSucceeded': once,
  'after JobSucceeded': once,
};

interface Family {
  readonly double: VendorDouble;
  readonly model: Partial<ImageModel>;
  readonly points: Readonly<Record<string, Ends>>;
  /** What tells the submissions of a job from the others'. */
  jobOf(asked: VendorDouble['asked'][number]): string;
}

/** Its calls are found again by the id that the vendor gave them. */
const fal: Family = {
  double: new FalDouble(),
  model: {
    ...{ family: 'fal', aspect_ratios: ['2:3'], seed: true },
    options: { fields: { person: 'model_image', garment: 'garment_image', seed: 'seed' }, poll_ms: 20 },
  },
  points: {
    ...shared,
    'before EngineSubmitted': lost,
    'after EngineSubmitted': once,
    'before status': once,
    'after status': once,
    'before result': once,
    'after result': once,
    'before answer kept': once,
    'after answer kept': once,
    'before EngineAnswered': once,
  },
  jobOf: ({ body }) => String((JSON.parse(body) as { seed: number }).seed),
};

/** There is no way back to a call: one without an answer on record is lost. */
const openai: Family = {
  double: new OpenAiDouble(),
  model: { family: 'openai' },
  points: {
    ...shared,
    'before answer kept': lost,
    'after answer kept': lost,
    'before EngineAnswered': lost,
  },
  jobOf: ({ headers }) => String(headers['idempotency-key']).split('.')[0] ?? '',
};

const families: readonly (readonly [string, Family])[] = [
  ['fal', fal],
  ...(kills > 0 ? [['openai', openai] as const] : []),
];

describe.each(families)(
  'a worker that is killed while it asks %s',
  (name, { double, model, points, jobOf }) => {
    let workshop: Workshop;
    const children = new Set<ChildProcess>();
    let stopping = false;
    let killed = 0;

    beforeAll(async () => {
      workshop = await Workshop.open();
      await workshop.startProjector();
    });
    afterAll(async () => {
      stopping = true;
      for (const child of children) child.kill('SIGKILL');
      await workshop[Symbol.asyncDispose]();
      await double.close();
    });

    /** One process, and another when it is dead. */
    function work(planFile: string): void {
      const entry = join(process.cwd(), 'dist', 'test', 'crash', 'calls', 'calling-worker.js');
      const child = fork(entry, [planFile], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
      children.add(child);
      child.once('exit', (_code, signal) => {
        children.delete(child);
        if (stopping) return;
        killed += Number(signal === 'SIGKILL');
        work(planFile);
      });
    }

    it('has the vendor asked once for each job, at whatever point it dies', async () => {
      const chosen = Object.entries(points).filter(([point]) => kills > 0 || few.includes(point));
      const rounds = Math.max(1, Math.ceil(kills / families.length / chosen.length));
      const jobs = chosen.flatMap(([point, ends]) =>
        Array.from({ length: rounds }, () => ({ point, ends, ids: { requestId: newId(), jobId: newId() } })),
      );
      const tenant = await workshop.tenantWith(100_000);
      const bytes = await sharp({ create: { width: 400, height: 600, channels: 3, background: '#c63' } })
        .png()
        .toBuffer();
      const upload = async () => (await workshop.upload(tenant, { bytes, width: 400, height: 600 })).assetId;
      const body = {
        user_image: await upload(),
        items: [{ trial_image: await upload(), trial_item_category: 'top' }],
      };
      const { databaseUrl, folder } = workshop;
      const declared: ImageModel = {
        ...{ ...sandboxModel, id: name, max_inputs: 16, price_per_picture: 0.04 },
        ...{ ...model, endpoint: await double.open() },
      };
      const plan: KillPlan = {
        ...{ databaseUrl, directory: join(folder, 'objects') },
        models: { currency: 'USD', workflow_models: {}, tenant_models: {}, models: [declared] },
        points: Object.fromEntries(jobs.map(({ ids, point }) => [ids.jobId, point])),
      };
      const planFile = join(folder, 'plan.json');
      writeFileSync(planFile, JSON.stringify(plan));
      for (const [seed, { ids }] of jobs.entries())
        await workshop.dispatchAs(ids, tenant, { ...body, seed }, 'try-on', name);
      for (let worker = 0; worker < workers; worker++) work(planFile);

      const found = [];
      for (const [seed, { point, ids }] of jobs.entries()) {
        await workshop.ended(tenant, ids, 600_000);
        const types = await workshop.types('job', ids.jobId);
        const submissions = double.asked.filter((asked) => [String(seed), ids.jobId].includes(jobOf(asked)));
        const last = types.filter((type) => /^Job(?:Succeeded|Failed)$/.test(type));
        found.push([point, submissions.length, ...last]);
      }
      expect(found).toEqual(jobs.map(({ point, ends }) => [point, ...ends]));
      expect(killed).toBe(jobs.length);
      const drawn = jobs.filter(({ ends }) => ends[1] === 'JobSucceeded').length;
      expect(await workshop.balance(tenant)).toBe(100_000 - 10 * drawn);
      if (kills > 0)
        console.info(`${name}: ${killed} kills, ${double.asked.length} submissions, ${drawn} pictures`);
    });
  },
);
