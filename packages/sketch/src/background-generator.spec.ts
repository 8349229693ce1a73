import { describe, expect, it } from 'vitest';
import sharp from 'sharp';
import type { EngineImage, EnginePicture, EngineStage, RenderRequest } from '@atelier/engine';
import { SeededRandom } from './drawing/seeded-random.js';
import { drawScene } from './scenery/draw-scene.js';
import { sceneFromBody, type SceneAuthoring } from './scenery/scene-spec-from.js';
import { GROUNDS, LIGHTS, REGISTERS, SETTINGS, TOPOLOGIES, ZONES } from './scenery/scene-spec.js';
import { SketchEngine } from './sketch-engine.js';

const engine = new SketchEngine();

const authoring: SceneAuthoring = {
  display_name: 'Quiet room',
  setting: 'indoor_location',
  photographic_register: 'real_photo',
  topology: { preset: 'rear_plane_room' },
  subject_zone: { preset: 'near_rear_plane' },
  supported_crops: ['full', 'torso'],
  ground: { preset: 'wood' },
  light: { preset: 'soft_frontal' },
  palette: ['sage', 'ecru'],
  scene_anchors: ['arch', 'theremin'],
};

const request = (body: Record<string, unknown>, more: Partial<RenderRequest> = {}): RenderRequest => ({
  workflow: 'background-generator',
  body,
  inputs: [],
  seed: 7,
  displayName: '',
  testMark: false,
  ...more,
});

async function render(asked: RenderRequest): Promise<{ picture: EnginePicture; stages: EngineStage[] }> {
  const stages: EngineStage[] = [];
  const { signal } = new AbortController();
  const result = await engine.render(asked, {
    signal,
    garmentKind: () => undefined,
    onStage: async (stage) => void stages.push(stage),
  });
  const picture = result.pictures[0];
  if (!picture) throw new Error('no picture');
  return { picture, stages };
}

/** The scene at a size at which many are drawn quickly. */
async function small(changes: Partial<SceneAuthoring>, seed = 7): Promise<Buffer> {
  const spec = sceneFromBody({ authoring: { ...authoring, ...changes } }, seed);
  const { raster } = await drawScene(spec, { width: 192, height: 256 }, new SeededRandom(seed));
  return Buffer.from(raster.data);
}

/** Mean difference of two pictures, 8-bit steps. */
function apart(a: Buffer, b: Buffer): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += Math.abs((a[i] ?? 0) - (b[i] ?? 0));
  return sum / a.length;
}

let plain: Promise<Buffer> | undefined;
let first: ReturnType<typeof render> | undefined;

describe('background-generator', () => {
  it('lays the place out, then paints it, and says how to draw it again', async () => {
    const { picture, stages } = await (first ??= render(request({ authoring })));
    expect(stages.map((s) => [s.stage, s.pictures[0]?.kind])).toEqual([['composition', 'composition']]);
    expect(picture).toMatchObject({ kind: 'background', label: 'Quiet room', width: 768, height: 1024 });
    expect(picture.meta).toMatchObject({
      scene: { ...authoring, seed: 7 },
      setting: 'indoor_location',
      topology: 'rear_plane_room',
      ground: 'wood',
      light: 'soft_frontal',
      palette: ['#a3b096', '#e3d8c0'],
      anchors: ['arch', 'object'],
      unknown_anchors: ['theremin'],
      supported_crops: ['full', 'torso'],
      floor_line: 0.925,
      aspect_ratio: '3:4',
      resolution: '1K',
      seed: 7,
    });
    expect(await sharp(picture.bytes).metadata()).toMatchObject({ width: 768, height: 1024 });
  });

  it('draws the same bytes for the same request and seed', async () => {
    const { picture } = await (first ??= render(request({ authoring })));
    expect((await render(request({ authoring }))).picture.bytes.equals(picture.bytes)).toBe(true);
  });

  it.each<[string, Record<string, unknown>]>([
    ...TOPOLOGIES.flatMap((preset): [string, Record<string, unknown>][] =>
      preset === 'rear_plane_room' ? [] : [[`topology ${preset}`, { topology: { preset } }]],
    ),
    ...GROUNDS.filter((preset) => preset !== 'wood').map((preset): [string, Record<string, unknown>] => [
      `ground ${preset}`,
      { ground: { preset } },
    ]),
    ...LIGHTS.filter((preset) => preset !== 'soft_frontal').map(
      (preset): [string, Record<string, unknown>] => [`light ${preset}`, { light: { preset } }],
    ),
    ...ZONES.filter((preset) => preset !== 'near_rear_plane').map(
      (preset): [string, Record<string, unknown>] => [`zone ${preset}`, { subject_zone: { preset } }],
    ),
    ...REGISTERS.filter((register) => register !== 'real_photo').map(
      (photographic_register): [string, Record<string, unknown>] => [
        `register ${photographic_register}`,
        { photographic_register },
      ],
    ),
    ...SETTINGS.filter((setting) => setting !== 'indoor_location').map(
      (setting): [string, Record<string, unknown>] => [`setting ${setting}`, { setting }],
    ),
    ['palette', { palette: ['terracotta', 'ecru'] }],
    ['third colour', { palette: ['sage', 'ecru', 'ruby'], scene_anchors: ['urn', 'stool'] }],
    ['anchors', { scene_anchors: ['window', 'palm'] }],
    ['supported crops', { supported_crops: ['torso'] }],
    ['surface character', { surface_character: 'old brick' }],
    ['unknown surface words', { surface_character: 'like a held breath' }],
    ['custom topology', { topology: { preset: 'custom', custom_text: 'a market street' } }],
    ['custom ground', { ground: { preset: 'custom', custom_text: 'snow' } }],
    ['custom light', { light: { preset: 'custom', custom_text: 'blue moonlight, dark' } }],
    ['custom zone', { subject_zone: { preset: 'custom', custom_text: 'on the left beside a fountain' } }],
  ])('the %s changes the picture', async (_, changes) => {
    expect(apart(await (plain ??= small({})), await small(changes))).toBeGreaterThan(0.4);
  });

  it('the seed changes the picture', async () => {
    expect(apart(await (plain ??= small({})), await small({}, 8))).toBeGreaterThan(1);
  });

  it("paints the wall in the palette's first colour", async () => {
    const { picture } = await render(request({ authoring: { ...authoring, palette: ['#3f6fb0'] } }));
    const wall = await sharp(picture.bytes)
      .extract({ left: 330, top: 250, width: 90, height: 90 })
      .png()
      .toBuffer();
    const [red = 0, , blue = 0] = (await sharp(wall).stats()).channels.map((channel) => channel.mean);
    expect(blue - red).toBeGreaterThan(45);
  });

  it.each([
    ['aspect ratio', { aspect_ratio: '16:9' }, 1024, 576],
    ['output preset', { output_preset: 'square' }, 1024, 1024],
  ])('honours the %s', async (_, body, width, height) => {
    const { picture } = await render(request({ scene_type: 'studio', ...body }));
    expect(picture).toMatchObject({ width, height });
  });

  it('draws a new version of a background that describes its scene: the same place from another seed', async () => {
    const { picture } = await (first ??= render(request({ authoring })));
    const known: EngineImage = { name: 'background_image', bytes: picture.bytes, meta: picture.meta };
    const version = (await render(request({}, { inputs: [known], seed: 8 }))).picture;
    expect(version.meta).toMatchObject({
      scene: { ...authoring, seed: 8 },
      topology: 'rear_plane_room',
      seed: 8,
    });
    expect(version.bytes.equals(picture.bytes)).toBe(false);
  });

  it("takes colours and light from a background's pixels when nothing else is known of it", async () => {
    const bytes = await sharp({ create: { width: 300, height: 400, channels: 3, background: '#16233f' } })
      .png()
      .toBuffer();
    const { picture } = await render(request({}, { inputs: [{ name: 'background_image', bytes }] }));
    expect(picture.meta).toMatchObject({ palette: ['#16233f'], light: 'quiet_low_key' });
  });

  it('refuses a background that is no picture', async () => {
    const inputs = [{ name: 'background_image', bytes: Buffer.from('GIF89a, or so it says') }];
    await expect(render(request({}, { inputs }))).rejects.toMatchObject({ errorClass: 'bad_input' });
  });

  it('marks pictures of the test environment', async () => {
    const { picture } = await (first ??= render(request({ authoring })));
    const marked = (await render(request({ authoring }, { testMark: true }))).picture;
    expect(marked.bytes.equals(picture.bytes)).toBe(false);
  });

  it('measures what it drew when eval_enabled asks for it', async () => {
    const { picture } = await render(request({ scene_type: 'studio', eval_enabled: true }));
    const measured = picture.meta['evaluation'];
    expect(measured).toEqual({
      sharpness: expect.any(Number),
      exposure: expect.any(Number),
      contrast: expect.any(Number),
      colourfulness: expect.any(Number),
    });
    expect((await (first ??= render(request({ authoring })))).picture.meta).not.toHaveProperty('evaluation');
  });
});
