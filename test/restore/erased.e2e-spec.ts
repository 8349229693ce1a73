import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { freePort } from '#platform/embedded-postgres.js';
import { ApiClient, type Answer } from '../api/support/api-client.js';
import { aPicture } from '../api/support/made-pictures.js';
import { eventually } from '../support/eventually.js';
import { copyTestDatabase, createTestDatabase } from '../support/test-database.js';
import { House } from './house.js';

vi.setConfig({ testTimeout: 600_000 });

/** Half of them of uploads, half of jobs. */
const erasures = 50;
const word = 'Quistgaard';
const template = {
  name: 'restore',
  prepare: (url: string) => House.migrate({ eventStoreUrl: url, databaseUrl: url }),
};

it(`a database from before ${erasures} erasures shows none of it again to a client that asks all the time`, async () => {
  await using cleanup = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'atelier-erased-'));
  cleanup.defer(() => rmSync(folder, { recursive: true }));
  const database = await createTestDatabase({ template });
  cleanup.defer(() => database.drop());
  const urlsOf = ({ url }: { url: string }) => ({ eventStoreUrl: url, databaseUrl: url });

  const customer = await use(await House.open(urlsOf(database), folder), (house) => house.customer(1_000));
  const { key } = customer;
  const things: { readonly erase: string; readonly paths: readonly string[] }[] = [];
  await use(await House.open(urlsOf(database), folder), async (house) => {
    const api = await house.openApi();
    await house.startProjector();
    await house.startWorker();
    for (let each = 0; each < erasures / 2; each++) {
      const { body: upload } = await api.upload(key, await aPicture());
      const { pathname, search } = new URL(upload.image_url as string);
      const path = `/v1/uploads/${String(upload.asset_id)}`;
      things.push({ erase: path, paths: [path, pathname + search] });
      const { body: job } = await api.post('/v1/model-generator', key, { display_name: `${word} ${each}` });
      const jobPath = `/v1/jobs/${String(job.job_id)}`;
      things.push({ erase: jobPath, paths: [jobPath] });
    }
    for (const { paths } of things)
      await eventually(async () => {
        const answers = await Promise.all(paths.map((path) => api.get(path, key)));
        return answers.every(({ status }) => status === 200) && answers[0]!.body.status !== 'PENDING';
      });
    // The client could see them: otherwise its later answers would show nothing.
    const seen = await Promise.all(things.map(({ erase }) => api.get(erase, key)));
    expect(seen.filter(({ body }) => JSON.stringify(body).includes(word))).toHaveLength(erasures / 2);
  });
  const backup = await copyTestDatabase(database);
  cleanup.defer(() => backup.drop());

  const ids: string[] = [];
  const balance = await use(await House.open(urlsOf(database), folder), async (house) => {
    const api = await house.openApi();
    await house.startProjector();
    for (const { erase } of things) {
      const { status, body } = await api.call('DELETE', erase, { key });
      expect(status).toBe(202);
      ids.push(body.erasure_id as string);
    }
    await completed(api, key, ids);
    return (await api.get('/v1/credits', key)).body.balance;
  });

  await use(await House.open(urlsOf(backup), folder), async (restored) => {
    const port = await freePort();
    const done = new AbortController();
    const answers: { readonly path: string; readonly answer: Answer }[] = [];
    const client = new ApiClient(`http://127.0.0.1:${port}`);
    const paths = things.flatMap((thing) => thing.paths);
    const asking = Array.from({ length: 3 }, async (_, start) => {
      for (let each = start; !done.signal.aborted; each += 3) {
        const path = paths[each % paths.length]!;
        // Refused until the API listens.
        const answer = await client.get(path, key).catch(() => undefined);
        if (answer) answers.push({ path, answer });
        else await sleep(5);
      }
    });
    // The API waits for the projector.
    const [api] = await Promise.all([restored.openApi(port), restored.startProjector()]);
    await completed(api, key, ids);
    done.abort();
    await Promise.all(asking);
    expect(answers.length).toBeGreaterThan(paths.length);
    const shown = answers.filter(
      ({ path, answer: { status, body } }) =>
        (status !== 410 && !path.startsWith('/v1/jobs/')) || JSON.stringify(body ?? '').includes(word),
    );
    const kinds = shown.map(({ path, answer: { status, body } }) => {
      const [, kind] = /^\/(?:v1\/)?([a-z]+)/.exec(path) ?? [];
      return `${kind}: ${status} ${(body as { error?: { code: string } } | undefined)?.error?.code ?? ''}`;
    });
    expect([...new Set(kinds)]).toEqual([]);
    expect((await api.get('/v1/credits', key)).body.balance).toBe(balance);
    expect((await restored.audited()).findings).toEqual([]);
  });
});

async function use<T>(house: House, work: (house: House) => Promise<T>): Promise<T> {
  await using opened = house;
  return await work(opened);
}

async function completed(api: ApiClient, key: string, ids: readonly string[]): Promise<void> {
  for (const id of ids)
    await eventually(async () => (await api.get(`/v1/erasures/${id}`, key)).body.status === 'completed');
}
