import type { EngineImage } from '@atelier/engine';
import { toHex } from '../drawing/colour.js';
import { clamp } from '../drawing/geometry.js';
import { drawScene, type DrawnScene } from '../scenery/draw-scene.js';
import type { SceneSpec } from '../scenery/scene-spec.js';
import { sceneFields, sceneSpecOf } from '../scenery/scene-spec-from.js';
import { decode } from '@atelier/engine/decode';
import type { Framing } from '../dressing/framing.js';
import { imageOf, rasterise, rasterOf, type Raster } from '../drawing/rasterise.js';
import { SeededRandom } from '../drawing/seeded-random.js';
import { SvgSheet } from '../drawing/svg-sheet.js';
import { soles, type Layer, flatten } from '../scene.js';
import { chooseStudio, drawFloorShadow, type Studio, drawBackdrop } from '../studio/backdrop.js';
import { factsIn, type Facts } from '../facts.js';
import { ambientTint, meanColour, NEUTRAL, temperatureTint, times, type Light } from './light.js';
import type { Outfit } from './outfit.js';
import type { CameraHeight, ShotFraming } from './shot.js';
import type { Canvas } from './subject.js';
import { SOLES, standingAt, type View } from './view.js';
import { paintWash } from '../studio/wash.js';

/**
 * The empty studio: a wall with its wash. If a floor is given (its height in pixels), also the sweep to the
 * ground.
 */
async function paintStudio(
  studio: Studio,
  random: SeededRandom,
  { width, height }: Canvas,
  floor?: number,
): Promise<Raster> {
  const sheet = new SvgSheet();
  const wall = drawBackdrop(sheet, studio, width, height, floor);
  const bottom = floor === undefined ? 0.96 : floor / height - 0.06;
  return flatten(
    [
      await rasterise(sheet.document(width, height, wall)),
      await paintWash(studio.wash, random.fork('wash'), width, height, bottom),
    ],
    width,
    height,
  );
}

/** The subject's empty place, and its effect on the subject's light. */
export interface Setting {
  readonly plate: Raster;
  /** The colour of the floor's shadow is taken from it. */
  readonly ground: Studio;
  readonly light: Light;
  /** Identifies the place: `{studio_seed}`, `{scene}` or `{picture: true}`. */
  readonly facts: Facts;
}

/** A caller's picture, filling the canvas from its middle. */
async function coverFit(input: EngineImage, { width, height }: Canvas): Promise<Raster> {
  // Reading the picture first gives the caller a clear error, instead of one from deep inside the compositing.
  const picture = await decode(input.bytes, Math.max(width, height) * 1.5, input.name);
  const image = imageOf(picture)
    .flatten({ background: '#efe9df' })
    .resize(width, height, { fit: 'cover', position: 'centre' });
  return rasterOf(image.ensureAlpha());
}

/**
 * Shows a plate closer, like a longer lens: enlarges its middle and puts it a little out of focus.
 * @param zoom 1 does not change it
 * @param at the kept part of the height, from 0 (top) to 1 (bottom)
 */
async function nearer(plate: Raster, zoom: number, at: number): Promise<Raster> {
  if (zoom <= 1.01) return plate;
  const { width, height } = plate;
  const [w, h] = [Math.round(width / zoom), Math.round(height / zoom)];
  const [left, top] = [Math.round((width - w) / 2), Math.round((height - h) * at)];
  const image = imageOf(plate)
    .extract({ left, top, width: w, height: h })
    .resize(width, height, { fit: 'fill', kernel: 'cubic' });
  return rasterOf(image.blur(Math.max(0.6, ((zoom - 1) * 4 * Math.max(width, height)) / 1024)));
}

/** A place from a picture lights the figure in it. */
const inPlace = (plate: Raster, facts: Setting['facts']): Setting => {
  const mean = meanColour(plate);
  const wall = toHex(mean);
  return { plate, ground: { wall, wash: wall }, light: { ...NEUTRAL, tint: ambientTint(mean) }, facts };
};

/** How much closer the camera is than the camera of the place's picture. */
const ZOOM: Readonly<Record<ShotFraming, number>> = { full: 1, three_quarter: 1.15, half: 1.5, detail: 2.1 };

/** Height of the camera in metres. */
export const EYES: Readonly<Record<CameraHeight, number>> = {
  low: 0.5,
  waist: 0.95,
  chest: 1.15,
  eye: 1.4,
  high: 1.75,
};

/** Direction and colour of a scene's light on a figure in it. */
function sceneLight({ light }: DrawnScene['brush'], mean: readonly [number, number, number]): Light {
  const [dx, dy] = light.direction;
  const length = Math.max(1, Math.hypot(dx, dy));
  return {
    from: [dx / length, -dy / length],
    contrast: clamp(light.contrast * 0.55, 0, 0.6),
    tint: times(ambientTint(mean), temperatureTint(5600 - 1100 * light.warmth)),
  };
}

/** The tallest subject for which a scene is drawn, as a share of the picture's height. */
const NEAREST = 1.65;

/** A described scene, drawn for the camera of the view. */
export async function drawnPlace(spec: SceneSpec, canvas: Canvas, view: View, eye: number): Promise<Place> {
  const { width, height } = canvas;
  const { framing } = view;
  const floorLine = (framing.y + SOLES * framing.scale) / height;
  const subject = (SOLES * framing.scale) / height;
  // Scenes are furnished for a person who is visible at least down to the waist. For closer views their middle
  // is enlarged.
  const zoom = Math.max(1, subject / NEAREST);
  const camera = { floorLine: 0.42 + (floorLine - 0.42) / zoom, subject: subject / zoom, eye };
  const scene = await drawScene(spec, { width, height, framing: camera }, new SeededRandom(spec.seed));
  // The background of a close figure is out of focus.
  const depth = { full: 0, three_quarter: 0, half: 1.6, detail: 4 }[view.shows];
  const near = await nearer(scene.raster, zoom, 0.42);
  const blur = (depth * Math.max(width, height)) / 1024;
  const plate = blur < 0.4 ? near : await rasterOf(imageOf(near).blur(blur));
  const setting = inPlace(plate, { scene: sceneFields(spec) });
  return {
    setting: { ...setting, light: sceneLight(scene.brush, meanColour(plate)) },
    view: standingAt(view, framing.x + (scene.subjectX - 0.5) * width),
  };
}

/** A place, and the view of the subject in it. */
export interface Place {
  readonly setting: Setting;
  readonly view: View;
}

/**
 * The place of a background as the view shows it. A described scene is drawn; a picture is fitted.
 * @param eye height of the camera in metres
 */
export async function placeFor(
  input: EngineImage,
  seed: number,
  canvas: Canvas,
  view: View,
  eye: number = EYES.chest,
): Promise<Place> {
  const spec = sceneSpecOf(input.meta, seed);
  if (spec) return drawnPlace(spec, canvas, view, eye);
  const place = inPlace(await coverFit(input, canvas), { picture: true });
  const { shows } = view;
  return {
    setting: { ...place, plate: await nearer(place.plate, ZOOM[shows], shows === 'full' ? 1 : 0.42) },
    view,
  };
}

/** @param floor height of the sweep in pixels; absent if no floor is visible */
export async function studio(seed: number, canvas: Canvas, floor?: number): Promise<Setting> {
  const random = new SeededRandom(seed);
  const chosen = chooseStudio(random.fork('studio'));
  const plate = await paintStudio(chosen, random, canvas, floor);
  return { plate, ground: chosen, light: NEUTRAL, facts: { studio_seed: seed } };
}

/** Plain paper, for stages in which there is no place yet. */
export const blankSheet = ({ width, height }: Canvas): Promise<Raster> =>
  rasterise(
    new SvgSheet().document(width, height, `<rect width="${width}" height="${height}" fill="#f4f0e8"/>`),
  );

/** The shadow under the subject's feet, on a transparent layer. */
export function floorShadow(
  { rig }: Outfit,
  setting: Setting,
  framing: Framing,
  { width, height }: Canvas,
): Promise<Layer> {
  const sheet = new SvgSheet();
  const shadow = drawFloorShadow(sheet, setting.ground, soles(framing, rig), framing.scale);
  return rasterise(sheet.document(width, height, shadow));
}

/** The place of a composed picture, drawn again from the facts about it; undefined if they do not suffice. */
export async function placeFrom(facts: unknown, canvas: Canvas, view: View): Promise<Place | undefined> {
  const known = factsIn(facts);
  const seed = known['studio_seed'];
  if (typeof seed === 'number') return { setting: await studio(seed, canvas, view.floor), view };
  const spec = 'scene' in known ? sceneSpecOf(known, 0) : undefined;
  return spec && drawnPlace(spec, canvas, view, EYES.chest);
}
