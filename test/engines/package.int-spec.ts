import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { describeEngine } from '@atelier/engine/conformance';
import { openPackage } from '#adapters/packaged-engine.js';
import { categoryById } from '#domain/garment/garment-categories.js';
import { backgroundGenerator } from '#workflows/background-generator/background-generator.js';
import { backgroundSwapWithImage } from '#workflows/background-swap-with-image/background-swap-with-image.js';
import { photo, VendorHouse, vendorModelOf } from './support/vendor-house.js';

/*
 * An engine that is a package of its own, outside of the service's tree: it depends on @atelier/engine alone, of which it has a copy
 * of its own, as npm would install it. It washes a sheet with the colour of its input.
 */

const source = `
import { deflateSync, crc32 } from 'node:zlib';
import { setTimeout as sleep } from 'node:timers/promises';
import { EngineError } from '@atelier/engine';

const chunk = (type, data) => {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
};

function png(size, colourAt) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const rows = Buffer.alloc(size * (size * 3 + 1));
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++) rows.set(colourAt(x, y), y * (size * 3 + 1) + 1 + x * 3);
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]);
}

const workflows = ['background-generator', 'background-swap-with-image'];

class WashEngine {
  name = 'wash';

  constructor({ id, options }) {
    this.id = id;
    this.options = options;
  }

  async render(request, { signal, onStage }) {
    signal.throwIfAborted();
    const stopped = new Promise((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
    );
    return Promise.race([this.wash(request, onStage), stopped]);
  }

  async wash({ workflow, brief, inputs, seed, testMark }, onStage) {
    if (!workflows.includes(workflow)) throw new EngineError('misconfigured', 'wash does not make this.');
    for (const { name, bytes } of inputs)
      if (bytes[0] !== 137 && bytes[0] !== 255) throw new EngineError('bad_input', name + ' is no picture.');
    const [order] = brief().steps;
    const { size = 64 } = this.options;
    const bytes = png(size, (x, y) => (testMark && x + y < 16 ? [255, 0, 0] : [(x + seed * 7) % 256, y % 256, 90]));
    const { kind, label, meta } = order.gives;
    const picture = { kind, label, meta, bytes, contentType: 'image/png', width: size, height: size };
    await sleep(60);
    await onStage({ stage: 'composition', message: 'Washed', pictures: [] });
    return { pictures: [picture], message: 'Washed', model: this.id };
  }
}

export default (model) => new WashEngine(model);
`;

const folder = mkdtempSync(join(tmpdir(), 'atelier-package-'));
const port = join(folder, 'node_modules/@atelier/engine');
mkdirSync(port, { recursive: true });
cpSync('packages/engine/dist', port, { recursive: true });
const manifest = (name: string, main: string) => JSON.stringify({ name, type: 'module', main });
writeFileSync(join(port, 'package.json'), manifest('@atelier/engine', 'image-engine.js'));
writeFileSync(join(folder, 'package.json'), manifest('wash-engine', 'wash.js'));
writeFileSync(join(folder, 'wash.js'), source);
writeFileSync(join(folder, 'empty.js'), 'export const nothing = 1;');

const engine = await openPackage(folder, { id: 'wash-1', model: 'wash-1', options: {} });

const facts = { pictures: [], category: undefined, displayName: '' };
const scene = { scene_type: 'studio' };
const swap = { source_image_s3_key: 'a', background_image_public_id: 'b' };
const orders = {
  'background-generator': {
    body: scene,
    inputs: [],
    // Bodies as a validated request has them.
    brief: () => backgroundGenerator.brief({ ...facts, body: scene as never }),
  },
  'background-swap-with-image': {
    body: swap,
    inputs: [{ name: 'source_image', bytes: await photo('#345') }],
    brief: () => backgroundSwapWithImage.brief({ ...facts, body: swap }),
  },
};

describeEngine('a package of somebody else', {
  ...{ engine, orders, repeatable: true, garmentKind: categoryById },
});

let house: VendorHouse;
beforeAll(async () => {
  house = await VendorHouse.open();
});
afterAll(async () => {
  await house?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

it('draws for the service, where the registry names it', async () => {
  const tenant = await house.openTenant();
  const more = { package: folder, options: { size: 96 } };
  await house.startRoles({ models: [vendorModelOf('wash-1', 'package', '', more)] });
  const job = await house.run(tenant, 'background-generator', scene);
  expect(job.detail).toMatchObject({ status: 'SUCCESS', image_model: 'wash-1' });
  expect(job.events.map(({ event_type: type }) => type)).toEqual(['queued', 'stage', 'succeeded']);
  const picture = await house.download(job.detail.result?.artifacts[0]?.image_url ?? '');
  expect(await sharp(picture).metadata()).toMatchObject({ format: 'png', width: 96, height: 96 });
  const [succeeded] = await house.find(job.jobId, 'JobSucceeded');
  expect(succeeded?.provenance).toMatchObject({ engine: 'package', model: 'wash-1' });
  expect(await house.charged(tenant, job)).toBe(job.detail.credits_cost);

  // What it throws is of its own copy of the port, and decides all the same.
  const refused = await house.run(tenant, 'model-generator', {});
  expect(refused.detail.error).toMatchObject({
    code: 'ENGINE_MISCONFIGURED',
    message: 'wash does not make this.',
  });
  expect(await house.charged(tenant, refused)).toBe(0);
});

it.each(['empty.js', 'nowhere.js'])(
  'is misconfigured where it is no package that makes one: %s',
  async (file) => {
    const opened = openPackage(join(folder, file), { id: 'w', model: 'w', options: {} });
    await expect(opened).rejects.toMatchObject({ errorClass: 'misconfigured' });
  },
);
