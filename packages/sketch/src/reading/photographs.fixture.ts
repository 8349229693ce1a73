import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import type { EngineImage, RenderRequest } from '@atelier/engine';
import { SketchEngine } from '../sketch-engine.js';

const SAMPLES = new URL('../../../../assets/samples/', import.meta.url);
export const sample = (name: string): Promise<Buffer> => readFile(new URL(`${name}.jpg`, SAMPLES));

const engine = new SketchEngine();
const drawn = new Map<string, Promise<EngineImage>>();

/** A picture whose meta says how it was drawn. */
export const known = (name: string, { bytes, meta }: EngineImage): EngineImage => ({
  name,
  bytes,
  ...(meta && { meta }),
});

const PHOTOGRAPHS = new URL('../../../photo/photographs/', import.meta.url);
/** A real photograph of people, or of a place without any. */
export const photograph = (name: string): Promise<Buffer> => readFile(new URL(`${name}.jpg`, PHOTOGRAPHS));

/** The first picture of a request's result. It is drawn once for a spec file. */
function picture(
  workflow: string,
  body: object,
  inputs: readonly EngineImage[],
  seed: number,
): Promise<EngineImage> {
  const key = JSON.stringify([workflow, body, inputs.map(({ bytes, meta }) => [bytes.length, meta]), seed]);
  const request: RenderRequest = {
    workflow,
    body: { ...body },
    inputs,
    seed,
    displayName: '',
    testMark: false,
  };
  const made =
    drawn.get(key) ??
    engine
      .render(request, {
        signal: new AbortController().signal,
        garmentKind: () => undefined,
        onStage: async () => undefined,
      })
      .then(({ pictures: [first] }) => {
        if (!first) throw new Error('nothing was drawn');
        return { name: '', bytes: first.bytes, meta: first.meta };
      });
  drawn.set(key, made);
  return made;
}

/** A model in base wear, full length, before the studio's wall. */
export const model = (seed: number, casting: Record<string, string>): Promise<EngineImage> =>
  picture('model-generator', { generation_stage: 'full_body', ...casting }, [], seed);

/** A person who wears one of the samples, in the studio or before a place. */
export async function worn(
  garment: string,
  seed: number,
  place?: 'room' | 'bricks',
  gender = 'FEMALE',
): Promise<EngineImage> {
  const behind = place
    ? [{ name: 'background_image', bytes: await (place === 'room' ? room() : bricks()) }]
    : [];
  const wearer = { name: 'model_image', bytes: Buffer.alloc(0), meta: { seed, gender } };
  const inputs = [{ name: 'product_image', bytes: await sample(garment) }, wearer, ...behind];
  return picture('product-to-model-direct', { output_preset: 'portrait' }, inputs, seed);
}

const svg = (width: number, height: number, body: string): Promise<Buffer> =>
  sharp(
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${body}</svg>`),
  )
    .jpeg({ quality: 90 })
    .toBuffer();

/** A room with a window and boards, 900 × 1200. */
export const room = (): Promise<Buffer> =>
  svg(
    900,
    1200,
    `<defs><linearGradient id="g" x1="0" x2="1"><stop offset="0" stop-color="#c9d6cf"/><stop offset="1" stop-color="#9fb3ab"/>
     </linearGradient></defs><rect width="900" height="1200" fill="url(#g)"/><rect y="930" width="900" height="270" fill="#8a6b4f"/>
     <rect x="40" y="150" width="200" height="420" fill="#e9f1f4" stroke="#5d4a3a" stroke-width="16"/>
     <path d="M0 990H900M0 1060H900M0 1140H900" stroke="#6f543c" stroke-width="3"/>`,
  );

/** A brick wall over a grey pavement, 900 × 1200. */
export const bricks = (): Promise<Buffer> =>
  svg(
    900,
    1200,
    `<defs><pattern id="p" width="90" height="44" patternUnits="userSpaceOnUse"><rect width="90" height="44" fill="#8d4f3c"/>
     <rect x="3" y="3" width="84" height="38" fill="#b3694f"/></pattern></defs><rect width="900" height="1200" fill="url(#p)"/>
     <rect y="980" width="900" height="220" fill="#a7a39b"/>`,
  );

const TEE =
  'M430 300 C470 270 500 262 520 260 C550 320 650 320 680 260 C700 262 730 270 770 300 L960 430 L880 560 L790 500 L800 860 C660 880 540 880 400 860 L410 500 L320 560 L240 430Z';

/** A shirt of one colour laid out on paper, 1200 × 1100. */
export const flatLay = (cloth: string, paper = '#f1efea'): Promise<Buffer> =>
  svg(1200, 1100, `<rect width="1200" height="1100" fill="${paper}"/><path d="${TEE}" fill="${cloth}"/>`);

/** One colour and nothing on it. */
export const blank = (colour = '#efece6'): Promise<Buffer> =>
  svg(600, 800, `<rect width="600" height="800" fill="${colour}"/>`);

/** Light that falls off from one side of the picture to the other. */
export async function litFrom(bytes: Buffer, side: 'left' | 'right'): Promise<Buffer> {
  const { width, height } = await sharp(bytes).metadata();
  const [bright, dark] = side === 'left' ? [0, 1] : [1, 0];
  const ramp = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><defs><linearGradient id="g"
    x1="${bright}" x2="${dark}"><stop offset="0" stop-color="#fff"/><stop offset="1" stop-color="#808080"/></linearGradient></defs>
    <rect width="100%" height="100%" fill="url(#g)"/></svg>`;
  return sharp(bytes)
    .composite([{ input: Buffer.from(ramp), blend: 'multiply' }])
    .png()
    .toBuffer();
}

const WHITE = { warm: [1, 0.86, 0.66], cold: [0.78, 0.92, 1] } as const;

/** The same under a lamp, or in the shade. */
export const tinted = (bytes: Buffer, light: 'warm' | 'cold'): Promise<Buffer> =>
  sharp(bytes)
    .removeAlpha()
    .linear([...WHITE[light]], [0, 0, 0])
    .png()
    .toBuffer();

/** Tones drawn together around the middle, or spread. */
export const contrasted = (bytes: Buffer, factor: number): Promise<Buffer> =>
  sharp(bytes)
    .removeAlpha()
    .linear(
      [factor, factor, factor],
      Array.from({ length: 3 }, () => 128 * (1 - factor)),
    )
    .png()
    .toBuffer();

/** Another frame of the same shoot: closer, shifted, a little brighter, noisy and compressed. */
export async function anotherFrame(bytes: Buffer): Promise<Buffer> {
  const { width, height } = await sharp(bytes).metadata();
  const near = await sharp(bytes)
    .removeAlpha()
    .extract({
      left: Math.round(width * 0.04),
      top: Math.round(height * 0.02),
      width: Math.round(width * 0.9),
      height: Math.round(height * 0.93),
    })
    .modulate({ brightness: 1.05 })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { data, info } = near;
  // A linear congruence serves as film grain, because it is the same in every run.
  let state = 7;
  for (let i = 0; i < data.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    data[i] = Math.max(0, Math.min(255, (data[i] ?? 0) + (state >>> 28) - 7.5));
  }
  return sharp(data, { raw: { width: info.width, height: info.height, channels: 3 } })
    .jpeg({ quality: 72 })
    .toBuffer();
}
