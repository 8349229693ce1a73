import { expectAuditToHold } from '../../../test/support/audited.js';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import sharp from 'sharp';
import { EngineError } from '@atelier/engine';
import { describeEngine, unattended } from '@atelier/engine/conformance';
import { testMarkSvg } from '@atelier/sketch/grounds';
import { openPackage } from '../packaged-engine.js';
import { categoryById } from '#domain/garment/garment-categories.js';
import { backgroundGenerator } from '#workflows/background-generator/background-generator.js';
import { backgroundSwapWithImage } from '#workflows/background-swap-with-image/background-swap-with-image.js';
import { photo, VendorHouse, vendorModelOf } from './support/vendor-house.js';

/*
 * An engine that is a package of its own, outside of the service's tree. It depends only on @atelier/engine,
 * and has a copy of it, as npm would install it. It washes a sheet with the colour of its input.
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

function png(width, height, colourAt) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const rows = Buffer.alloc(height * (width * 3 + 1));
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) rows.set(colourAt(x, y), y * (width * 3 + 1) + 1 + x * 3);
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  const said = chunk('tEXt', Buffer.from('Comment\\0made by wash'));
  return Buffer.concat([signature, chunk('IHDR', header), said, chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]);
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

  async wash({ workflow, brief, inputs, seed }, onStage) {
    if (!workflows.includes(workflow)) throw new EngineError('misconfigured', 'wash does not make this.');
    for (const { name, bytes } of inputs)
      if (bytes[0] !== 137 && bytes[0] !== 255) throw new EngineError('bad_input', name + ' is no picture.');
    const [order] = brief().steps;
    const { kind, label, meta } = order.gives;
    const picture = { kind, label, meta, contentType: 'image/png', ...this.drawn(order, inputs, seed) };
    await sleep(60);
    await onStage({ stage: 'composition', message: 'Washed', pictures: [] });
    return { pictures: [picture], message: 'Washed', model: this.id };
  }

  drawn({ ratio, longSide }, inputs, seed) {
    const [w, h] = this.options.draws === 'format' ? [5, 1] : ratio === 'input' ? [2, 3] : ratio.split(':').map(Number);
    const [width, height] = w > h ? [longSide, Math.round((longSide * h) / w)] : [Math.round((longSide * w) / h), longSide];
    if (this.options.draws === 'copy') return { bytes: inputs[0].bytes, width: 200, height: 300 };
    if (this.options.draws === 'garbage') return { bytes: Buffer.from('no picture'), width, height };
    const blank = this.options.draws === 'blank';
    const bytes = png(width, height, (x, y) => (blank ? [255, 255, 255] : [(x + seed * 7) % 256, y % 256, 90]));
    return { bytes, width, height };
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

const engine = await openPackage(folder, { id: 'wash-1', model: 'wash-1', options: {} }, testMarkSvg);

const facts = { pictures: [], category: undefined, displayName: '' };
const scene = { scene_type: 'studio' };
const swap = { source_image_s3_key: 'a', background_image_public_id: 'b' };
const orders = {
  'background-generator': {
    body: scene,
    inputs: [],
    // Bodies in the form of a validated request.
    brief: () => backgroundGenerator.brief({ ...facts, body: scene as never }),
  },
  'background-swap-with-image': {
    body: swap,
    inputs: [{ name: 'source_image', bytes: await photo('#345') }],
    brief: () => backgroundSwapWithImage.brief({ ...facts, body: swap }),
  },
};

describeEngine('a package of somebody else', {
  engine,
  orders,
  repeatable: true,
  marks: true,
  garmentKind: categoryById,
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
  const more = { package: folder };
  await house.startRoles({ models: [vendorModelOf('wash-1', 'package', '', more)] });
  const job = await house.run(tenant, 'background-generator', scene);
  expect(job.detail).toMatchObject({ status: 'SUCCESS', image_model: 'wash-1' });
  expect(job.events.map(({ event_type: type }) => type)).toEqual(['queued', 'stage', 'succeeded']);
  const picture = await house.download(job.detail.result?.artifacts[0]?.image_url ?? '');
  const { exif, comments, xmp, ...form } = await sharp(picture).metadata();
  expect(form).toMatchObject({ format: 'jpeg', width: 768, height: 1024 });
  expect([exif, comments]).toEqual([undefined, undefined]);
  expect(String(xmp)).toContain('digitalsourcetype/algorithmicMedia');
  const provenance = { model: 'wash-1', digital_source_type: 'algorithmicMedia' };
  expect(job.detail.result?.artifacts[0]?.meta).toMatchObject({ provenance });
  const [succeeded] = await house.find(job.jobId, 'JobSucceeded');
  expect(succeeded?.provenance).toMatchObject({ engine: 'package', model: 'wash-1' });
  expect(await house.charged(tenant, job)).toBe(job.detail.credits_cost);

  // Its error is of its own copy of the port, and still counts.
  const refused = await house.run(tenant, 'model-generator', {});
  expect(refused.detail.error).toMatchObject({
    code: 'ENGINE_MISCONFIGURED',
    message: 'wash does not make this.',
  });
  expect(await house.charged(tenant, refused)).toBe(0);
});

it.each(['blank', 'copy', 'garbage', 'format'])('draws nothing that can be delivered: %s', async (draws) => {
  const bad = await openPackage(folder, { id: 'wash-1', model: 'wash-1', options: { draws } }, testMarkSvg);
  const order = orders['background-swap-with-image'];
  const facts = { workflow: 'background-swap-with-image', seed: 7, displayName: '', testMark: false };
  const context = { ...unattended(), signal: new AbortController().signal, garmentKind: categoryById };
  const drawing = bad.render({ ...order, ...facts }, { ...context, onStage: () => Promise.resolve() });
  await expect(drawing).rejects.toBeInstanceOf(EngineError);
  await expect(drawing).rejects.toMatchObject({ errorClass: 'no_image' });
});

it.each(['empty.js', 'nowhere.js'])(
  'is misconfigured where it is no package that makes one: %s',
  async (file) => {
    const opened = openPackage(join(folder, file), { id: 'w', model: 'w', options: {} }, testMarkSvg);
    await expect(opened).rejects.toMatchObject({ errorClass: 'misconfigured' });
  },
);

it('the audit raises no alarm over all that happened here', () => expectAuditToHold(house.service));
