import type { PictureMeta } from '@atelier/engine';
import { garmentFacts, type Garment } from './garment.js';
import type { Drawn, Easel } from './draw.js';
import { silhouettes, wornUnder } from './silhouettes.js';
import type { Outfit } from './outfit.js';
import { personFacts } from './person.js';
import type { Setting } from './setting.js';
import type { View } from './view.js';
import type { Point } from '../drawing/geometry.js';
import type { ArmPose } from '../figure/rig.js';

const share = (value: number, of: number): number => Math.round((10_000 * value) / of) / 10_000;

/**
 * The figure's place, in shares of the picture's height (x counts from its middle). It makes it possible to
 * find the figure again.
 */
export const viewFacts = (
  { framing, shows }: View,
  { width, height }: Easel['size'],
): Record<string, unknown> => ({
  framing: shows,
  scale: share(framing.scale * 900, height),
  x: share(framing.x - width / 2, height),
  y: share(framing.y, height),
});

const point = ([x, y]: Point): number[] => [Math.round(x), Math.round(y)];

/** The wearer's pose in figure units; a swap needs it to put another figure there. */
export function wearerFacts({ rig }: Outfit): Record<string, unknown> {
  const { spec, poses } = rig;
  const arm = ({ elbow, wrist }: ArmPose): unknown => ({ elbow: point(elbow), wrist: point(wrist) });
  return {
    gender: spec.gender,
    body_type: spec.bodyType,
    lean: spec.lean,
    stance: spec.stance,
    arms: { left: arm(poses.left), right: arm(poses.right) },
  };
}

/**
 * The meta of any composed picture: the clothes and their places in the picture. The top-level fields describe
 * `main`.
 */
export const pictureFacts = async (
  easel: Easel,
  main: Garment,
  outfit: Outfit,
  view: View,
  drawn: Drawn,
): Promise<PictureMeta> => ({
  ...garmentFacts(main),
  seed: easel.request.seed,
  aspect_ratio: easel.asked.aspectRatio,
  resolution: easel.asked.resolution,
  view: viewFacts(view, easel.size),
  wearer: wearerFacts(outfit),
  silhouettes: await silhouettes(
    drawn.figure,
    wornUnder(
      drawn.figure,
      drawn.cloth,
      outfit.worn.map(({ fit }) => fit.garmentClass),
    ),
    easel.size,
  ),
});

/** The same meta with the person and the place, so that both can be drawn again. */
export const compositionFacts = async (
  easel: Easel,
  main: Garment,
  outfit: Outfit,
  view: View,
  setting: Setting,
  drawn: Drawn,
): Promise<PictureMeta> => {
  const person = personFacts(outfit.person);
  return {
    ...person,
    ...(await pictureFacts(easel, main, outfit, view, drawn)),
    person,
    backdrop: setting.facts,
  };
};
