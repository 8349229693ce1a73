import type { EngineImage } from '@atelier/engine';
import sharp from 'sharp';
import { cast, castingIn, type Casting } from '../casting/cast.js';
import { HAIR_TEXTURES } from '../casting/complexion.js';
import { HAIR_STYLES, type FigureSpec } from '../casting/figure-spec.js';
import { toHex, toLab, type Rgb } from '../drawing/colour.js';
import { decode } from '../cutout/decode.js';

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] ?? 0;

const middle = (colours: readonly Rgb[]): Rgb => [
  median(colours.map((c) => c[0])),
  median(colours.map((c) => c[1])),
  median(colours.map((c) => c[2])),
];

/** Hues between red and yellow, moderate chroma: what skin of any tone is made of. */
function looksLikeSkin(rgb: Rgb): boolean {
  const [l, a, b] = toLab(rgb);
  const chroma = Math.hypot(a, b);
  const hue = (Math.atan2(b, a) * 180) / Math.PI;
  return l > 18 && l < 93 && chroma > 9 && chroma < 48 && hue > 22 && hue < 82;
}

/**
 * Gives a figure the skin and hair colour of a picture of a person: skin is the commonest skin-like colour in the upper
 * middle, hair the commonest dark or saturated colour above it. What cannot be told stays as it was cast.
 * @throws EngineError `bad_input` when the picture cannot be read
 */
async function takeAfter(spec: FigureSpec, image: EngineImage): Promise<FigureSpec> {
  const { data, width, height } = await decode(image.bytes, 220, image.name);
  const { data: soft } = await sharp(data, { raw: { width, height, channels: 4 } })
    .blur(1.2)
    .raw()
    .toBuffer({ resolveWithObject: true });
  const skin: Rgb[] = [];
  let crown = height;
  for (let y = 0; y < height * 0.72; y++) {
    for (let x = Math.floor(width * 0.3); x < width * 0.7; x++) {
      const i = (y * width + x) * 4;
      const rgb: Rgb = [soft[i] ?? 0, soft[i + 1] ?? 0, soft[i + 2] ?? 0];
      if ((soft[i + 3] ?? 0) < 200 || !looksLikeSkin(rgb)) continue;
      skin.push(rgb);
    }
  }
  const corner: Rgb = [soft[0] ?? 0, soft[1] ?? 0, soft[2] ?? 0];
  const paper = toLab(corner);
  const hair: Rgb[] = [];
  for (let y = 0; y < height * 0.5; y++) {
    const i = (y * width + (width >> 1)) * 4;
    const rgb: Rgb = [soft[i] ?? 0, soft[i + 1] ?? 0, soft[i + 2] ?? 0];
    const lab = toLab(rgb);
    const off = Math.hypot(lab[0] - paper[0], lab[1] - paper[1], lab[2] - paper[2]);
    if (off > 26 && crown === height) crown = y;
    if (crown < height && y < crown + height * 0.05) hair.push(rgb);
  }
  return {
    ...spec,
    ...(skin.length > width * height * 0.03 ? { skin: toHex(middle(skin)) } : {}),
    ...(hair.length > 4 ? { hair: { ...spec.hair, colour: toHex(middle(hair)) } } : {}),
  };
}

type Facts = Readonly<Record<string, unknown>>;

/** A person who can be drawn again: the seed is the person's own, not the request's. */
export interface Person {
  readonly spec: FigureSpec;
  readonly seed: number;
}

const isRecord = (value: unknown): value is Facts =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const hex = (value: unknown): string | undefined =>
  typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value) ? value.toLowerCase() : undefined;

/** The casting facts in a picture's meta: at its top level (a portrait, a preset) or under `person` (a composed picture). */
function castingFacts(meta: Facts | undefined): Facts | undefined {
  if (!meta) return undefined;
  const facts = isRecord(meta['person']) ? meta['person'] : meta;
  const known = typeof facts['seed'] === 'number' || hex(facts['skin_tone']) !== undefined;
  return known ? facts : undefined;
}

/** What is known of skin, hair and eyes wins over what the casting chose. */
function withColours(spec: FigureSpec, facts: Facts): FigureSpec {
  const hair = isRecord(facts['hair']) ? facts['hair'] : {};
  const texture = HAIR_TEXTURES.find((one) => one === hair['texture']);
  const style = HAIR_STYLES.find((one) => one === hair['style']);
  const eyeColour = hex(facts['eye_colour']);
  return {
    ...spec,
    skin: hex(facts['skin_tone']) ?? spec.skin,
    hair: {
      colour: hex(hair['colour']) ?? spec.hair.colour,
      texture: texture ?? spec.hair.texture,
      style: style ?? spec.hair.style,
    },
    face: { ...spec.face, ...(eyeColour ? { eyeColour } : {}) },
  };
}

/**
 * The person to draw. A picture whose meta holds casting facts gives that very person, whatever else is asked; a picture
 * without them lends skin and hair to a person who is cast from `casting` and `seed`; no picture leaves the casting alone.
 * @throws EngineError `bad_input` when a picture without facts cannot be read
 */
export async function personFrom(
  input: EngineImage | undefined,
  casting: Casting,
  seed: number,
): Promise<Person> {
  const facts = castingFacts(input?.meta);
  if (facts) {
    const own = typeof facts['seed'] === 'number' ? facts['seed'] : seed;
    return { spec: withColours(cast({ body_type: 'balanced', ...castingIn(facts) }, own), facts), seed: own };
  }
  const drawn = cast({ body_type: 'balanced', ...casting }, seed);
  return { spec: input ? await takeAfter(drawn, input) : drawn, seed };
}

/** What a picture's meta must hold for `personFrom` to draw the same person again. */
export const personFacts = ({ spec, seed }: Person): Record<string, unknown> => ({
  seed,
  gender: spec.gender,
  ethnicity: spec.ethnicity,
  ...(spec.heritage ? { heritage: spec.heritage } : {}),
  body_type: spec.bodyType,
  age_range: spec.ageRange,
  skin_tone: spec.skin,
  hair: { colour: spec.hair.colour, texture: spec.hair.texture, style: spec.hair.style },
  eye_colour: spec.face.eyeColour,
});
