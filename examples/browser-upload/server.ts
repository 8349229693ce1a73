import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { Atelier } from '@atelier/client';
import { buildSync } from 'esbuild';

const { ATELIER_URL: baseUrl = 'http://127.0.0.1:3000', ATELIER_KEY = '', PORT = '4001' } = process.env;

/** The token and the address for the page's upload. */
export interface UploadGrant {
  readonly baseUrl: string;
  readonly token: string;
}

/** A job, and the token with which the page may look at it. */
export interface Order {
  readonly jobId: string;
  readonly token: string;
}

const atelier = new Atelier({ baseUrl, apiKey: ATELIER_KEY });
const entryPoints = [join(import.meta.dirname, 'page.ts')];
const [script] = buildSync({ entryPoints, bundle: true, format: 'esm', write: false }).outputFiles;

const pages: Readonly<Record<string, readonly [type: string, content: string]>> = {
  '/': ['text/html; charset=utf-8', readFileSync(join(import.meta.dirname, 'index.html'), 'utf8')],
  '/page.js': ['text/javascript; charset=utf-8', script?.text ?? ''],
};

/** The page's requests to the shop. Check here who the visitor is, and how much they may order. */
const actions: Readonly<Record<string, (request: IncomingMessage) => Promise<UploadGrant | Order>>> = {
  '/api/uploads': async () => {
    const { token } = await atelier.post('/v1/client-tokens', { purpose: 'upload', expires_in: 300 });
    return { baseUrl, token };
  },
  '/api/orders': async (request) => {
    const { assetId } = (await json(request)) as { assetId: string };
    const body = { product_image_s3_key: assetId, output_preset: 'portrait' } as const;
    // The upload's id is the key: pressing twice makes one job.
    const idempotencyKey = `worn/${assetId}`;
    const { job_id: jobId } = await atelier.run('product-to-model-direct', body, { idempotencyKey }).accepted;
    const { token } = await atelier.post('/v1/client-tokens', { purpose: 'job', job_id: jobId });
    return { jobId, token };
  },
};

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? '/';
  const page = request.method === 'GET' && Object.hasOwn(pages, path) ? pages[path] : undefined;
  const action = request.method === 'POST' && Object.hasOwn(actions, path) ? actions[path] : undefined;
  if (page) response.writeHead(200, { 'content-type': page[0] }).end(page[1]);
  else if (action)
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify(await action(request)));
  else response.writeHead(404).end();
}

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    console.error(error);
    response.writeHead(500).end();
  });
});
server.listen(Number(PORT), '127.0.0.1');
await once(server, 'listening');
console.log(`Open http://127.0.0.1:${PORT}`);
