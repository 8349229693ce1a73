import { beforeAll, describe, expect, it } from 'vitest';
import {
  at,
  cancelled,
  failed,
  queued,
  renderStarted,
  stageCompleted,
  succeeded,
  voided,
} from '../testing/stories.js';
import { startReadSide, type ReadSide } from '../testing/read-side.js';
import { JobsReader } from '../readers.js';

let side: ReadSide;
let jobs: JobsReader;

beforeAll(async () => {
  side = await startReadSide(async (fixture) => {
    const job = (
      id: string,
      tenant: string,
      second: number,
      jobType: string,
      events: Parameters<typeof fixture.append>[2],
    ) => fixture.append('job', id, [queued(id, tenant, { at: at(second), jobType }), ...events], { tenant });
    await job('J1', 'acme', 0, 'MODEL_GENERATOR', []);
    await job('J2', 'acme', 1, 'MODEL_GENERATOR', [renderStarted, stageCompleted]);
    await job('J3', 'acme', 2, 'PRODUCT_TO_MODEL_DIRECT', [renderStarted, succeeded]);
    await job('J4', 'acme', 3, 'PRODUCT_TO_MODEL_DIRECT', [renderStarted, failed]);
    // The same moment as J4: the id decides.
    await job('J5', 'acme', 3, 'LOOK', [cancelled]);
    await job('X1', 'rival', 4, 'LOOK', []);
    await fixture.append('job', 'V1', [voided], { tenant: 'acme' });
    const child = (id: string, childIndex: number) =>
      fixture.append('job', id, [queued(id, 'batch', { parentJobId: 'P', childIndex })], { tenant: 'batch' });
    await fixture.append('job', 'P', [queued('P', 'batch', { chargeId: null, childJobIds: ['C2', 'C1'] })], {
      tenant: 'batch',
    });
    await child('C1', 1);
    await child('C2', 0);
    await fixture.append('job', 'T1', [queued('T1', 'acme')], { environment: 'test' });
  });
  jobs = new JobsReader(side.dataSource);
  return side.dispose;
});

const page = (filter: Partial<Parameters<JobsReader['list']>[1]>) =>
  jobs.list('acme', { limit: 50, offset: 0, ...filter });
const ids = async (filter: Parameters<typeof page>[0]) =>
  (await page(filter))?.items.map(({ publicId }) => publicId);

describe('the jobs reader', () => {
  it("lists a tenant's own jobs of its environment, newest first", async () => {
    expect(await ids({})).toEqual(['J5', 'J4', 'J3', 'J2', 'J1']);
  });

  it('pages by cursor, and counts all that match; what is no job of the tenant is no cursor', async () => {
    expect(await ids({ limit: 2, cursor: 'J4' })).toEqual(['J3', 'J2']);
    expect(await page({ limit: 1, cursor: 'J2' })).toMatchObject({ items: [{ publicId: 'J1' }], total: 5 });
    expect(await page({ cursor: 'J1' })).toEqual({ items: [], total: 5 });
    expect(await page({ status: 'FAILURE', cursor: 'J5' })).toMatchObject({
      items: [{ publicId: 'J4' }],
      total: 2,
    });
    expect(await page({ cursor: 'X1' })).toBeUndefined();
  });

  it('filters by several types, by status and strictly after a moment', async () => {
    expect(await ids({ jobTypes: ['LOOK', 'MODEL_GENERATOR'] })).toEqual(['J5', 'J2', 'J1']);
    expect(await ids({ jobTypes: [] })).toEqual([]);
    expect(await ids({ status: 'FAILURE' })).toEqual(['J5', 'J4']);
    expect(await ids({ status: 'IN_PROGRESS' })).toEqual(['J2']);
    expect(await ids({ createdAfter: new Date(at(2)) })).toEqual(['J5', 'J4']);
    expect(await ids({ createdAfter: new Date(at(0)), status: 'SUCCESS', jobTypes: ['LOOK'] })).toEqual([]);
  });

  it('finds a job with everything that the fold gave it', async () => {
    const row = await jobs.find('acme', 'J3');
    expect(row).toMatchObject({
      status: 'SUCCESS',
      result: succeeded.data.artifacts,
      createdAt: new Date(at(2)),
      finishedAt: new Date(at(4)),
      latestSeq: 3,
      latestEvent: { seq: 3, eventType: 'succeeded', createdAt: at(4) },
      revision: 2,
    });
  });

  it('finds the parent of a batch, which has no charge of its own', async () => {
    expect(await jobs.find('batch', 'P')).toMatchObject({ chargeId: null, childIndex: null });
  });

  it('does not know a job of another tenant, of another environment, or one that was only fenced', async () => {
    expect(await jobs.find('acme', 'X1')).toBeUndefined();
    expect(await jobs.find('acme', 'T1')).toBeUndefined();
    expect(await jobs.find('acme', 'V1')).toBeUndefined();
    expect(await jobs.find('rival', 'X1')).toBeDefined();
  });

  it('lists the children of a batch in the order of its items, to their own tenant only', async () => {
    expect((await jobs.children('batch', 'P')).map(({ publicId }) => publicId)).toEqual(['C2', 'C1']);
    expect(await jobs.children('acme', 'P')).toEqual([]);
  });
});
