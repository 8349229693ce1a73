import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Atelier, AtelierError, ConnectionError, type JobEvent } from '@atelier/client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { startService, type JourneyService } from '../journeys/service.js';
import { eventually } from '../support/eventually.js';
import { startTcpProxy } from '../support/tcp-proxy.js';

const casting = { gender: 'FEMALE', ethnicity: 'east_african', age_range: '26-30' } as const;

describe('the TypeScript client', () => {
  let service: JourneyService;
  let atelier: Atelier;
  beforeAll(async () => {
    service = await startService(1_000);
    atelier = new Atelier({ baseUrl: service.baseUrl, apiKey: service.key });
  });
  afterAll(async () => {
    await service?.[Symbol.asyncDispose]();
  });

  const balance = async () => (await atelier.get('/v1/credits')).balance;

  it('does what the first lines of its README say', async () => {
    const [, snippet = ''] =
      /```ts\n(.+?)```/s.exec(readFileSync('clients/typescript/README.md', 'utf8')) ?? [];
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module-typescript', '--eval', snippet],
      { env: { ...process.env, ATELIER_URL: service.baseUrl, ATELIER_KEY: service.key } },
    );
    const picture = await fetch(stdout.trim());
    expect(picture.headers.get('content-type')).toBe('image/png');
  });

  it('uploads what stands where a picture is taken, tells the stages, and gives the pictures', async () => {
    const sample = (name: string) => join('assets', 'samples', `${name}.jpg`);
    const jumper = await readFile(sample('jumper'));
    const run = atelier.run('look', {
      model_image_public_id: (await atelier.run('model-generator', casting).result()).public_id,
      items: [
        { trial_image: { path: sample('jacket') }, trial_item_category: 'outerwear' },
        { trial_image: new Blob([jumper]), trial_item_category: 'top' },
        { trial_image: new Response(jumper).body!, trial_item_category: 'top' },
      ],
    });
    const events: JobEvent[] = [];
    for await (const event of run) events.push(event);
    expect(events.map(({ event_type: type }) => type)).toEqual([
      'queued',
      ...events.slice(1, -1).map(() => 'stage'),
      'succeeded',
    ]);
    const { pictures, credits_cost: cost } = await run.result();
    expect(cost).toBe((await run.accepted).credits_cost);
    const bytes = await (await fetch(pictures[0]!.image_url)).arrayBuffer();
    expect((await sharp(Buffer.from(bytes)).metadata()).format).toBe('png');
  });

  it('says before what it would cost, and charges nothing for that', async () => {
    const before = await balance();
    expect(await atelier.quote('model-generator', casting)).toMatchObject({
      credits_cost: 5,
      would_be_accepted: true,
    });
    expect(await balance()).toBe(before);
  });

  it('is cut off again and again, charges once, and tells each event once', async () => {
    const proxy = await startTcpProxy(Number(new URL(service.baseUrl).port));
    const impatient = new Atelier({
      baseUrl: `http://127.0.0.1:${proxy.port}`,
      apiKey: service.key,
      retries: 100,
    });
    const before = await balance();
    const cutting = setInterval(() => proxy.cut(), 60);
    try {
      const events: JobEvent[] = [];
      const run = impatient.run('model-generator', casting);
      for await (const event of run) events.push(event);
      expect(events.at(-1)?.event_type).toBe('succeeded');
      expect(events.map(({ seq }) => seq)).toEqual(
        [...new Set(events.map(({ seq }) => seq))].sort((a, b) => a - b),
      );
      expect((await run.result()).pictures).toHaveLength(1);
    } finally {
      clearInterval(cutting);
      await proxy.close();
    }
    expect(await balance()).toBe(before - 5);
  });

  it('cancels the job when its signal aborts, and the credits come back', async () => {
    const { tenant_id: tenant = '' } = await service.operator(
      'tenants',
      'create',
      '--name',
      'T',
      '--env',
      'test',
      '--credits',
      '50',
    );
    const { key = '' } = await service.operator(
      ...['keys', 'issue', '--tenant', tenant, '--env', 'test', '--capabilities', 'jobs:create,jobs:read'],
    );
    const testing = new Atelier({ baseUrl: service.baseUrl, apiKey: key });
    const stop = new AbortController();
    const run = testing.run('model-generator', casting, {
      signal: stop.signal,
      headers: { 'x-atelier-test-outcome': 'timeout' },
    });
    const { job_id: jobId } = await run.accepted;
    const waiting = run.result();
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await eventually(async () => {
      expect(await testing.get('/v1/jobs/{public_id}', { public_id: jobId })).toMatchObject({
        status: 'FAILURE',
        error: { code: 'CANCELLED' },
      });
      expect((await testing.get('/v1/credits')).balance).toBe(50);
    });
  });

  it('throws refusals with their code, request and fields, and lists page after page', async () => {
    // @ts-expect-error a range that there is not
    const refused = () => atelier.run('model-generator', { ...casting, age_range: '90-95' }).accepted;
    const error = await refused().catch((thrown: unknown) => thrown);
    if (!(error instanceof AtelierError)) throw new Error('not refused');
    expect(error).toMatchObject({ status: 422, code: 'VALIDATION_ERROR' });
    expect(error.detail[0]?.loc).toEqual(['body', 'age_range']);
    expect(error.requestId).toMatch(/^[0-9A-Z]{26}$/);
    await Promise.all(Array.from({ length: 205 }, () => refused().catch(() => undefined)));
    const rows: string[] = [];
    for await (const { request_id: id } of atelier.list('/v1/usage')) rows.push(id);
    expect(rows).toContain(error.requestId);
    expect(new Set(rows).size).toBeGreaterThan(205);
  });
});

describe('what is sent again', () => {
  it.each([
    { answers: [503, 500, 200], post: false, sent: 3 },
    { answers: ['cut', 502, 200], post: false, sent: 3 },
    { answers: [404], post: false, sent: 1, code: 'UNEXPECTED_ANSWER' },
    { answers: [429, 200], post: true, sent: 2 },
    { answers: [503], post: true, sent: 1, code: 'UNEXPECTED_ANSWER' },
    { answers: ['cut'], post: true, sent: 1, code: undefined },
  ])('$answers of a post: $post → $sent requests', async ({ answers, post, sent, code }) => {
    let seen = 0;
    const answer = (response: ServerResponse, status: number | string | undefined) =>
      typeof status === 'number'
        ? response.writeHead(status, { 'retry-after': '0' }).end('{"balance":7}')
        : response.destroy();
    const server = createServer((_, response) => void answer(response, answers[seen++]));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    const atelier = new Atelier({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'sk_test_x' });
    const outcome = await (
      post
        ? atelier.post('/v1/products', { title: 'Shirt', upload_asset_public_id: 'x' })
        : atelier.get('/v1/credits')
    ).catch((error: unknown) => error);
    server.close();
    expect(seen).toBe(sent);
    if (answers.at(-1) === 200) expect(outcome).toEqual({ balance: 7 });
    else if (code) expect(outcome).toMatchObject({ code, status: answers.at(-1) });
    else expect(outcome).toBeInstanceOf(ConnectionError);
  });
});
