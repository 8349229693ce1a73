import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it, vi } from 'vitest';
import { readRuntime } from '#platform/home-files.js';
import { Atelier } from '../../../test/standalone/support/atelier.js';
import { temporaryHome } from '../../../test/standalone/support/home.js';
import { uploadBlank } from '../../../test/support/blank-picture.js';
import { runCommand } from '../../../test/support/command.js';
import { eventually } from '../../../test/support/eventually.js';

vi.setConfig({ testTimeout: 600_000 });

const word = 'Quistgaard';

/** The log of a real EventStoreDB node, and the folder of its database: its files are searched as well. */
const { EVENTSTOREDB_URL: node, EVENTSTOREDB_FILES: filesOfNode } = process.env;
const usesNode = node !== undefined && filesOfNode !== undefined;

const outsideOfWal = (paths: string[]) => paths.filter((path) => !path.includes('/pg_wal/'));

it('the words of an erased person are in no file of a service, but for the write-ahead log until it is used again', async () => {
  await using home = temporaryHome();
  let delivered = 0;
  const shop = createServer((_request, response) => {
    delivered += 1;
    response.end();
  });
  await once(shop.listen(0, '127.0.0.1'), 'listening');
  const hooks = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/hooks`;
  const folders = usesNode ? [home.path, filesOfNode] : [home.path];
  const files = () =>
    folders
      .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => readFileSync(path).includes(word));
  const atelier = await Atelier.start(home.path, {
    ATELIER_WEBHOOK_ALLOW_HTTP: 'true',
    ATELIER_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
    ...(usesNode && { EVENT_STORE_URL: node }),
  });
  const cli = async (...args: string[]): Promise<Record<string, string>> => {
    const { stdout, stderr, code } = await runCommand([...args, '--json'], home.path);
    expect({ args, code, stderr }).toMatchObject({ code: 0 });
    return JSON.parse(stdout);
  };
  try {
    const named = ['--name', 'House', '--env', 'test', '--credits', '1000'];
    const { tenant_id: tenant } = await cli('tenants', 'create', ...named);
    const may = ['--capabilities', 'jobs:create,jobs:read,data:erase,jobs:create'];
    const { key } = await cli('keys', 'issue', '--tenant', tenant!, '--env', 'test', ...may);
    const ask = async (method: string, path: string, json?: object, more: object = {}) => {
      const type = json && { 'content-type': 'application/json' };
      const headers = { authorization: `Bearer ${key}`, ...type, ...more };
      const body = json && JSON.stringify(json);
      const answer = await fetch(atelier.baseUrl + path, { method, headers, ...(body && { body }) });
      return (await answer.json()) as Record<string, string>;
    };
    await ask('POST', '/v1/webhooks', { url: hooks, events: ['job.succeeded', 'job.failed'] });
    const { asset_id: picture, thumbnails } = await uploadBlank(atelier.baseUrl, key!, {
      data_subject: `${word} A`,
    });
    await fetch(Object.values(thumbnails)[0]!);
    const title = { title: word, description: `For ${word}`, data_subject: `${word} A` };
    await ask('POST', '/v1/products', { upload_asset_public_id: picture, ...title });
    const person = { data_subject: `${word} A`, display_name: word, metadata: { fitting: word } };
    const jobs: string[] = [];
    for (let each = 0; each < 3; each++) {
      const order = { ...person, gender: 'FEMALE' };
      const { job_id } = await ask('POST', '/v1/model-generator', order, { 'idempotency-key': `${each}` });
      jobs.push(job_id!);
    }
    const tryOn = { ...person, product_image_s3_key: picture };
    const shoot = { data_subject: `${word} A`, photos: [{ pdp_image_public_id: picture }] };
    jobs.push((await ask('POST', '/v1/product-to-model-direct', tryOn)).job_id!);
    jobs.push((await ask('POST', '/v1/pdp-batch-extractions', shoot)).job_id!);
    for (const id of jobs)
      await eventually(
        async () => ['SUCCESS', 'FAILURE'].includes((await ask('GET', `/v1/jobs/${id}`)).status!),
        300_000,
      );
    await eventually(async () => delivered >= jobs.length);
    expect(files()).not.toEqual([]);

    const { erasure_id } = await ask(
      'DELETE',
      `/v1/data-subjects/${encodeURIComponent(`${word} A`)}?derived=true`,
    );
    await eventually(async () => (await ask('GET', `/v1/erasures/${erasure_id}`)).status === 'completed');
    // Neither an answer that the API keeps nor an export of the log has the words.
    const order = { ...person, gender: 'FEMALE' };
    const answers = [
      ...(await Promise.all(jobs.map((id) => ask('GET', `/v1/jobs/${id}`)))),
      await ask('POST', '/v1/model-generator', order, { 'idempotency-key': '0' }),
      await ask('GET', '/v1/webhooks'),
      await cli('ledger', 'audit'),
    ];
    expect(JSON.stringify(answers)).not.toContain(word);
    const exported = await runCommand(['events', 'export'], home.path);
    expect(exported.code).toBe(0);
    expect(exported.stdout).toContain('JobQueued');
    expect(exported.stdout).not.toContain(word);
    const database = new pg.Client({ connectionString: readRuntime(home.path)!.databaseUrl });
    await database.connect();
    // Rows that were changed stay in their pages until PostgreSQL uses the space again, and for as long as a statement
    // that began before the change still runs.
    await eventually(async () => {
      await database.query('vacuum full');
      await database.query('checkpoint');
      return outsideOfWal(files()).length === 0;
    });
    await database.end();
  } finally {
    shop.close();
    await atelier.stop('SIGTERM');
  }
  expect(outsideOfWal(files())).toEqual([]);
});
