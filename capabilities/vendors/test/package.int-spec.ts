import { expectAuditToHold } from '../../../test/support/audited.js';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
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
 * The engine of examples/engine as a package outside of the service's tree, with a copy of @atelier/engine, as
 * npm would install it.
 */

const folder = mkdtempSync(join(tmpdir(), 'atelier-package-'));
const port = join(folder, 'node_modules/@atelier/engine');
mkdirSync(port, { recursive: true });
cpSync('packages/engine/dist', port, { recursive: true });
writeFileSync(
  join(port, 'package.json'),
  JSON.stringify({ name: '@atelier/engine', type: 'module', main: 'image-engine.js' }),
);
symlinkSync(resolve('node_modules/sharp'), join(folder, 'node_modules/sharp'));
cpSync('examples/engine', folder, { recursive: true });
/** The same engine, whose pictures have something wrong or something in them that no caller may get. */
writeFileSync(
  join(folder, 'changed.js'),
  `import makeEngine from './engine.js';
export default (model) => {
  const { render } = makeEngine(model);
  return {
    name: 'wash',
    async render(request, context) {
      const result = await render(request, context);
      const [picture] = result.pictures;
      const drawn = {
        commented: () => ({ bytes: commented(picture.bytes) }),
        blank: async () => ({ bytes: await blank(picture.width, picture.height) }),
        copy: () => ({ bytes: request.inputs[0].bytes, width: 200, height: 300 }),
        garbage: () => ({ bytes: Buffer.from('no picture') }),
        format: async () => ({ bytes: await noise(1000, 200), width: 1000, height: 200 }),
      }[model.options.draws];
      return { ...result, pictures: [{ ...picture, ...(await drawn()) }] };
    },
  };
};
import { crc32 } from 'node:zlib';
import sharp from 'sharp';
/** With a tEXt chunk after the header of a PNG, which has 33 bytes. */
const commented = (png) => {
  const body = Buffer.from('tEXtComment\\0made by wash');
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length - 4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([png.subarray(0, 33), length, body, sum, png.subarray(33)]);
};
const sheet = (width, height, background) => sharp({ create: { width, height, channels: 3, ...background } }).png().toBuffer();
const blank = (width, height) => sheet(width, height, { background: '#fff' });
const noise = (width, height) => sheet(width, height, { background: '#777', noise: { type: 'gaussian', mean: 120, sigma: 40 } });
`,
);
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

describeEngine('the engine of examples/engine', {
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
  const more = { package: join(folder, 'changed.js'), options: { draws: 'commented' } };
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
  const bad = await openPackage(
    join(folder, 'changed.js'),
    { id: 'wash-1', model: 'wash-1', options: { draws } },
    testMarkSvg,
  );
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
