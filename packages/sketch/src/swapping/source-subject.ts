import { EngineError, type EngineImage } from '@atelier/engine';
import { findPerson } from '@atelier/photo/person';
import { factsIn, type Facts } from '../facts.js';
import { maskOf } from '../composition/outline.js';
import { decode } from '@atelier/engine/decode';
import { productMask, WATCHED_SIDE } from '../cutout/cut-out.js';
import type { Mask } from '../cutout/mask.js';
import { matte, type Matte } from '../cutout/matte.js';
import type { Raster } from '../drawing/rasterise.js';
import { shrunk } from '../reading/photograph.js';

const ADVICE =
  'Send a picture of one person, dressed figure or product that is wholly seen and stands out from what is behind it.';

/** The subject of a picture, cut out of it. Pixels are those of `picture`. */
export interface SourceSubject {
  readonly picture: Raster;
  readonly cut: Matte;
  readonly kind: 'person' | 'product';
  /** The picture's lower edge cuts it off. */
  readonly cropped: boolean;
  /** Upper end, pixels. */
  readonly crown: number;
  /**
   * The height of the whole person when standing, in pixels, even if the picture cuts off the feet. For a
   * product, its own height.
   */
  readonly stature: number;
}

const KNOWN_SIDE = 2048;
const SEEN_SIDE = 1400;

interface Found {
  readonly picture: Raster;
  readonly mask: Mask;
  /** Height of the whole figure in pixels of the picture, if it is known. */
  readonly stature?: number;
  /** How far the mask may be off, in pixels of the picture. */
  readonly slack: number;
}

/** Finds the subject by the meta of a picture that this engine composed. */
async function told({ bytes, meta, name }: EngineImage): Promise<Found | undefined> {
  const outlines = factsIn(meta?.['silhouettes'])['subject'];
  if (!outlines) return undefined;
  const picture = await decode(bytes, KNOWN_SIDE, name);
  const { width, height } = picture;
  const mask = await maskOf(outlines, Math.round((width * 720) / height), 720);
  if (!mask) return undefined;
  const { scale } = factsIn(meta?.['view']);
  return {
    picture,
    mask,
    slack: height / 180,
    ...(typeof scale === 'number' ? { stature: scale * height } : {}),
  };
}

/** A product photographed by itself; the photo engine takes people. */
async function seen({ bytes, name }: EngineImage): Promise<Found> {
  const picture = await decode(bytes, SEEN_SIDE, name);
  const person = await findPerson(await shrunk(picture, WATCHED_SIDE));
  const mask = await productMask(picture, name, person);
  return { picture, mask, slack: (picture.width / mask.width) * 1.3 };
}

/**
 * Shares of the picture. A mask smaller than `LEAST` has found nothing; a mask larger than `MOST` has left
 * nothing out.
 */
const [LEAST, MOST] = [0.012, 0.9];

function judge({ data, width, height }: Mask): void {
  let [area, sides] = [0, 0];
  for (let i = 0; i < data.length; i++) {
    if (!data[i]) continue;
    area++;
    const x = i % width;
    if (x < 1 || x >= width - 1 || i < width) sides++;
  }
  const share = area / data.length;
  if (share < LEAST)
    throw new EngineError('bad_input', `Nothing on source_image stands out from its background. ${ADVICE}`);
  if (share > MOST || sides > (width + 2 * height) * 0.45)
    throw new EngineError(
      'bad_input',
      `The subject of source_image cannot be told from its background. ${ADVICE}`,
    );
}

/** Whether the meta of a composed picture, or of a generated model, shows that there is a person on it. */
const isPerson = (meta: Facts | undefined): boolean =>
  meta !== undefined && ['person', 'wearer', 'gender', 'skin_tone'].some((name) => name in meta);

/**
 * Finds the person or thing in a picture and cuts it out.
 * @throws EngineError `bad_input` when the picture cannot be read, or nothing stands out from its background
 */
export async function subjectOf(source: EngineImage): Promise<SourceSubject> {
  const { picture, mask, stature, slack } = (await told(source)) ?? (await seen(source));
  judge(mask);
  const cut = await matte(picture, mask, slack);
  const { top, height } = cut.box;
  const person = isPerson(source.meta);
  const cropped = top + height >= picture.height - Math.max(3, picture.height * 0.012);
  return {
    picture,
    cut,
    kind: person ? 'person' : 'product',
    cropped,
    crown: top,
    stature: cropped && person ? Math.max(height * 1.05, stature ?? height) : height,
  };
}
