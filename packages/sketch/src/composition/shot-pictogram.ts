import { cast } from '../casting/cast.js';
import { imageOf, rasterise, rasterOf, type Raster } from '../drawing/rasterise.js';
import { SvgSheet } from '../drawing/svg-sheet.js';
import { buildRig } from '../figure/rig.js';
import { compose, flatten } from '../scene.js';
import { lightPlace, relight } from './light.js';
import type { Outfit } from './outfit.js';
import { directed } from './pose.js';
import { floorShadow } from './setting.js';
import { readShot } from './shot.js';
import { drawPerson, undressed } from './subject.js';
import { viewOf } from './view.js';

const SIZE = { width: 512, height: 768 };

/** A neutral figure in one plain colour, so that the pose and the light stand out, not the person. */
const mannequin = {
  ...cast({ gender: 'FEMALE', ethnicity: 'mixed_heritage', body_type: 'balanced', age_range: '26-30' }, 77),
  skin: '#d8cbbb',
  hair: { colour: '#8c7f72', texture: 'straight', style: 'bun' },
  wear: { top: '#b9aa98', bottom: '#8f8275', shoes: '#6f655b', neckline: 'crew' },
} as const;

/** The ground tones of a recipe's sheet. */
async function sheetOf(floor: number | undefined): Promise<Raster> {
  const { width, height } = SIZE;
  const line =
    floor === undefined
      ? ''
      : `<rect y="${floor - height * 0.1}" width="${width}" height="${height}" fill="#dcd4c8"/>`;
  const svg = new SvgSheet().document(
    width,
    height,
    `<rect width="${width}" height="${height}" fill="#e9e3d9"/>${line}`,
  );
  return rasterOf(imageOf(await rasterise(svg)).blur(14));
}

/** The preview of a shot preset, as PNG: a small figure framed, posed and lit as the recipe says. */
export async function drawShotPictogram(spec: Readonly<Record<string, unknown>>): Promise<Buffer> {
  const shot = readShot(spec);
  const person = directed({ spec: mannequin, seed: 77 }, shot);
  const outfit: Outfit = {
    person,
    rig: buildRig(person.spec),
    worn: [],
    base: { legwear: 0.9, vest: true },
    armsInFront: 'none',
    hem: 0,
  };
  const view = viewOf(outfit, shot, SIZE);
  const plate = await sheetOf(view.floor);
  lightPlace(plate, { ...shot.light, contrast: Math.min(1, shot.light.contrast * 1.6) });
  const figure = await drawPerson(outfit, view.framing, SIZE, true);
  const subject = await flatten(undressed(figure), SIZE.width, SIZE.height);
  await relight(subject, shot.light, view.framing.scale);
  const ground = { wall: '#e4ddd2', wash: '#e4ddd2' };
  const setting = { plate, ground, light: shot.light, facts: {} };
  const shadow = view.floor === undefined ? [] : [await floorShadow(outfit, setting, view.framing, SIZE)];
  return imageOf(await compose([plate, ...shadow, subject], false))
    .png()
    .toBuffer();
}
