import type { EngineImage, EnginePicture, RenderContext, RenderRequest, StageName } from '@atelier/engine';
import { breathe } from '../abort.js';
import { previewSize, type CanvasSize } from '../canvas-size.js';
import type { Raster } from '../drawing/rasterise.js';
import { encode, type PictureFacts } from '../encode.js';
import { compose, flatten, type Layer } from '../scene.js';
import { isNeutral, relight, type Light } from './light.js';
import type { Outfit } from './outfit.js';
import { floorShadow, type Setting } from './setting.js';
import { drawPerson, layCloth, type FigureLayers } from './subject.js';
import type { View } from './view.js';

/** The things that every composing workflow needs while it draws. */
export interface Easel {
  readonly request: RenderRequest<unknown>;
  readonly context: RenderContext;
  /** The size that is drawn; the caller's size may be larger. */
  readonly size: CanvasSize;
  readonly asked: CanvasSize;
}

export const inputOf = (request: RenderRequest<unknown>, name: string): EngineImage | undefined =>
  request.inputs.find((input) => input.name === name);

/** The person's layers and the cloth, without the light of the place. */
export interface Drawn {
  readonly figure: FigureLayers;
  readonly cloth: readonly Raster[];
}

/** A picture that shows progress, at most 1K. */
export const progress = async (
  easel: Easel,
  layers: readonly Layer[],
  facts: PictureFacts,
): Promise<EnginePicture> =>
  encode(await compose(layers, easel.request.testMark), facts, {
    draft: true,
    enlargeTo: previewSize(easel.size),
  });

export async function report(
  { context }: Easel,
  stage: StageName,
  message: string,
  ...pictures: readonly EnginePicture[]
): Promise<void> {
  await context.onStage({ stage, message, pictures });
  await breathe(context.signal);
}

export async function drawFigure(easel: Easel, outfit: Outfit, view: View): Promise<FigureLayers> {
  const figure = await drawPerson(outfit, view.framing, easel.size, true);
  await breathe(easel.context.signal);
  return figure;
}

export const drawCloth = ({ size, context }: Easel, outfit: Outfit, view: View): Promise<Raster[]> =>
  layCloth(outfit, view.framing, size, context.signal);

/** The layers of a dressed person in the light of the place. */
export async function inLight(
  easel: Easel,
  layers: readonly Layer[],
  light: Light,
  view: View,
): Promise<readonly Layer[]> {
  if (isNeutral(light)) return layers;
  const subject = await flatten(layers, easel.size.width, easel.size.height);
  await relight(subject, light, view.framing.scale);
  await breathe(easel.context.signal);
  return [subject];
}

/** The place with the shadow of the figure in it. */
export async function ground(easel: Easel, setting: Setting, outfit: Outfit, view: View): Promise<Layer[]> {
  if (view.floor === undefined) return [setting.plate];
  return [setting.plate, await floorShadow(outfit, setting, view.framing, easel.size)];
}

/** The finished picture in the ordered size. */
export async function finished(
  easel: Easel,
  layers: readonly Layer[],
  facts: PictureFacts,
): Promise<EnginePicture> {
  const sheet = await compose(layers, easel.request.testMark);
  await breathe(easel.context.signal);
  return encode(sheet, facts, { enlargeTo: easel.asked });
}
