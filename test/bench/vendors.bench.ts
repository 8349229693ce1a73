import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { someJpeg } from '#capabilities/vendors/test/support/vendor-double.js';
import { startRole } from '../support/role-process.js';
import { prepareAtelier } from './atelier.js';
import { ownCpuMs, residentMb } from './cost.js';
import { pace } from './paced.bench.js';
import { tell, tellTimes } from './results.js';

const atOnce = 50;
const vendorMs = 10_000;
const seconds = 30;
const perSecond = 50;
const renders = 100;

/** A slow vendor that counts how many requests it has at the same time. */
async function startSlowVendor() {
  const pictures = new Map<string, Promise<Buffer>>();
  const seen = { now: 0, most: 0, asked: 0 };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      void (async () => {
        seen.asked++;
        seen.most = Math.max(seen.most, ++seen.now);
        const [, size = '1024x1024'] = /"size":"(\d+x\d+)"/.exec(Buffer.concat(chunks).toString()) ?? [];
        const [width = 0, height = 0] = size.split('x').map(Number);
        const picture = pictures.get(size) ?? someJpeg(width, height);
        pictures.set(size, picture);
        const b64 = (await picture).toString('base64');
        await sleep(vendorMs);
        seen.now--;
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ created: 1, data: [{ b64_json: b64 }] }));
      })();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, server };
}

/**
 * Measures one worker whose places for remote renders are all taken: its CPU and memory, and how long
 * dispatches beside it wait for their 202. The dispatches are for the same model, so each of them waits in the
 * queue.
 */
export async function benchVendors(serverUrl: string): Promise<void> {
  const vendor = await startSlowVendor();
  const modelsFile = join(process.env['ATELIER_BENCH_HOME'] ?? '.', 'models.json');
  const slow = { id: 'slow', family: 'openai', endpoint: vendor.url, concurrency: atOnce, seed: true };
  writeFileSync(modelsFile, JSON.stringify({ models: [slow] }));
  const settings = { ATELIER_MODELS_FILE: modelsFile, ATELIER_REMOTE_TENANT_CONCURRENCY: String(atOnce) };
  const atelier = await prepareAtelier(serverUrl, 1, undefined, settings);
  try {
    const dispatches = (forSeconds: number) => pace(atelier.url, atelier.keys[0]!, forSeconds, perSecond);
    await dispatches(3);
    const alone = await dispatches(seconds);
    const worker = await startRole('apps/worker/src/main.js', atelier.settings);
    try {
      while (vendor.seen.now < atOnce) await sleep(50);
      const before = { cpuMs: ownCpuMs(worker.pid), at: performance.now() };
      const beside = await dispatches(seconds);
      // A render has ended once another has taken its place.
      while (vendor.seen.asked < atOnce + renders) await sleep(50);
      const [cpuMs, elapsedMs] = [ownCpuMs(worker.pid) - before.cpuMs, performance.now() - before.at];
      tellTimes(`Beside slow vendors, at ${perSecond} dispatches a second`, {
        'due → 202, no worker': alone,
        [`due → 202, ${vendor.seen.most} remote renders beside`]: beside,
      });
      const row = [
        renders,
        (elapsedMs / 1000).toFixed(0),
        ((100 * cpuMs) / elapsedMs).toFixed(0),
        (cpuMs / renders).toFixed(0),
        Math.round(residentMb(worker.pid)),
      ];
      const head = ['renders', 's', '% of a core', 'CPU ms each', 'MB'];
      tell({ title: `A worker with ${atOnce} slow remote renders at a time`, head, rows: [row] });
    } finally {
      await worker.stop('SIGKILL');
    }
  } finally {
    await atelier.stop();
    vendor.server.closeAllConnections();
    vendor.server.close();
  }
}
