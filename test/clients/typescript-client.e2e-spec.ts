import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Atelier, AtelierError, ConnectionError, type JobEvent } from '@atelier/client';
import { describe, expect, it } from 'vitest';
import { build } from 'esbuild';
import sharp from 'sharp';
import { startService } from '../journeys/service.js';
import { eventually } from '../support/eventually.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { untilEnd } from '../support/until-end.js';

// Node holds some listeners of signals weakly, so the garbage collector can remove objects that only such a
// listener holds.
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('() => gc()') as (after: unknown) => void;

const casting = { gender: 'FEMALE', ethnicity: 'east_african', age_range: '26-30' } as const;

const service = untilEnd(await startService(1_000));
const atelier = new Atelier({ baseUrl: service.baseUrl, apiKey: service.key });

describe('the TypeScript client', () => {
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

  it.each(['after', 'before'])(
    'cancels the job when its signal aborts %s the dispatch is answered, and the credits come back',
    async (when) => {
      const proxy = await startTcpProxy(Number(new URL(service.baseUrl).port));
      const key = await service.testKey(50);
      const testing = new Atelier({ baseUrl: service.baseUrl, apiKey: key });
      const client = new Atelier({ baseUrl: `http://127.0.0.1:${proxy.port}`, apiKey: key });
      const stop = new AbortController();
      if (when === 'before') proxy.holdAnswers();
      const run = client.run('model-generator', casting, {
        signal: stop.signal,
        headers: { 'x-atelier-test-outcome': 'timeout' },
      });
      const waiting = run.result();
      const [job] = await eventually(async () => {
        const { jobs } = await testing.get('/v1/jobs');
        return jobs.length > 0 && jobs;
      });
      if (when === 'after') await run.accepted;
      stop.abort(new Error('enough'));
      await expect(waiting).rejects.toThrow('enough');
      proxy.restore();
      await eventually(async () => {
        expect(await testing.get('/v1/jobs/{public_id}', { public_id: job!.public_id })).toMatchObject({
          status: 'FAILURE',
          error: { code: 'CANCELLED' },
        });
        expect((await testing.get('/v1/credits')).balance).toBe(50);
      });
      await proxy.close();
    },
  );

  it('cancels nothing when the signal outlives the job', async () => {
    const asked: string[] = [];
    const heard: typeof fetch = (url, init) => {
      asked.push(JSON.stringify([init?.method, url]));
      return fetch(url, init);
    };
    const listening = new Atelier({ baseUrl: service.baseUrl, apiKey: service.key, fetch: heard });
    const stop = new AbortController();
    for await (const event of listening.run('model-generator', casting, { signal: stop.signal }))
      collectGarbage(event);
    const before = asked.length;
    stop.abort();
    await atelier.get('/v1/credits');
    expect(asked.slice(before)).toEqual([]);
  });

  it('speaks each method, with the parts of a path and the pages of a list', async () => {
    const webhook = { url: 'https://shop.example/hook', events: ['job.failed' as const] };
    const { public_id } = await atelier.post('/v1/webhooks', webhook);
    const { delivery_id: id } = await atelier.post('/v1/webhooks/{public_id}/test', undefined, { public_id });
    await eventually(async () => {
      const path = '/v1/webhooks/{public_id}/deliveries';
      for await (const delivery of atelier.list(path, { public_id, status: 'pending' }))
        if (delivery.public_id === id) return true;
      return false;
    });
    const path = '/v1/webhooks/{public_id}';
    expect(await atelier.patch(path, { enabled: false }, { public_id })).toMatchObject({ enabled: false });
    expect(await atelier.delete(path, { public_id })).toBeUndefined();
    await expect(atelier.get(path, { public_id })).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
    // @ts-expect-error a path without its parts
    await expect(atelier.get(path)).rejects.toMatchObject({ status: 404 });
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

it('waits until the time that a proxy on the way names', async () => {
  const time = new Date(Date.now() + 3_600_000).toUTCString();
  const answer = () => Promise.resolve(new Response('', { status: 503, headers: { 'retry-after': time } }));
  const atelier = new Atelier({ baseUrl: 'http://shop.example', apiKey: 'x', retries: 0, fetch: answer });
  const error = await atelier.get('/v1/credits').catch((thrown: unknown) => thrown);
  expect((error as AtelierError).retryAfterMs).toBeGreaterThan(3_590_000);
});

it('is bundled for browsers and workers without anything of Node', async () => {
  const stdin = { contents: "export * from '@atelier/client'", resolveDir: process.cwd() };
  const bundle = { bundle: true, write: false, platform: 'browser', format: 'esm' } as const;
  const { outputFiles, warnings } = await build({ stdin, ...bundle });
  expect(warnings).toEqual([]);
  expect(outputFiles[0]!.text).not.toMatch(/\b(?:import|require)\b[^\n]*node:/);
  expect(outputFiles[0]!.text.length).toBeLessThan(60_000);
});
