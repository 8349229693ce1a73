import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { root } from './support/compose-file.js';

// The vendor's side, faked at the socket.
const buckets = new Set<string>();
let seen: string[] = [];
/** Statuses of the first answers; later answers are true. */
let first: number[] = [];
let server: Server;

beforeEach(async () => {
  buckets.clear();
  seen = [];
  first = [];
  server = createServer((request, response) => {
    const bucket = (request.url ?? '').split(/[/?]/)[1] ?? '';
    seen.push(`${request.method} ${bucket}`);
    const forced = first.shift();
    if (forced) return response.writeHead(forced).end();
    if (request.method === 'PUT') buckets.add(bucket);
    return response.writeHead(buckets.has(bucket) ? 200 : 404).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

async function createBucket(settings: Record<string, string> = {}): Promise<{ code: number; text: string }> {
  const env = {
    DATABASE_URL: 'postgres://not-asked/atelier',
    S3_BUCKET: 'pictures',
    S3_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    S3_ACCESS_KEY_ID: 'id',
    S3_SECRET_ACCESS_KEY: 'hush-hush',
    CREATE_BUCKET_PATIENCE_MS: '10000',
    ...settings,
  };
  const program = join(root, 'deploy', 'create-bucket.mjs');
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [[code], ...texts] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
  return { code: Number(code), text: texts.join('') };
}

describe('deploy/create-bucket.mjs', () => {
  it('makes the bucket, and leaves it alone when it is there', async () => {
    expect(await createBucket()).toEqual({ code: 0, text: 'the bucket pictures is there now\n' });
    expect(buckets).toEqual(new Set(['pictures']));
    expect(await createBucket()).toEqual({ code: 0, text: 'the bucket pictures was there\n' });
    expect(seen).toEqual(['HEAD pictures', 'PUT pictures', 'HEAD pictures']);
  });

  it('waits for a server that is still starting', async () => {
    first = [503, 500];
    expect(await createBucket()).toMatchObject({ code: 0 });
    expect(buckets).toEqual(new Set(['pictures']));
  });

  it('ends with the reason when it is refused, without asking again and without the secret', async () => {
    first = [403];
    const { code, text: said } = await createBucket();
    expect({ code, asked: seen.length }).toEqual({ code: 1, asked: 1 });
    expect(said).toMatch(/^the bucket pictures cannot be made: /);
    expect(said).not.toContain('hush-hush');
  });

  it('ends with the reason when nobody answers for too long, or there is no bucket to make', async () => {
    const nobody = { S3_ENDPOINT: 'http://127.0.0.1:9', CREATE_BUCKET_PATIENCE_MS: '1' };
    expect(await createBucket(nobody)).toMatchObject({
      code: 1,
      text: expect.stringContaining('ECONNREFUSED'),
    });
    const folder = await createBucket({ S3_BUCKET: '', URL_SIGNING_SECRET: 'x' });
    expect(folder).toMatchObject({ code: 1, text: expect.stringContaining('S3_BUCKET is not set') });
  });
});
