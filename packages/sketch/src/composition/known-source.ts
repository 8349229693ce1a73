import type { EngineImage } from '@atelier/engine';
import { cast } from '../casting/cast.js';
import { BODY_TYPES, STANCES, type FigureSpec } from '../casting/figure-spec.js';
import { GARMENT_CLASSES, type GarmentClass } from '../cutout/classify.js';
import { decode } from '@atelier/engine/decode';
import type { Mask } from '../cutout/mask.js';
import type { Framing } from '../dressing/framing.js';
import type { Point } from '../drawing/geometry.js';
import type { Raster } from '../drawing/rasterise.js';
import { armFromAngles, buildRig, type ArmPose, type Rig } from '../figure/rig.js';
import { factsIn, type Facts } from '../facts.js';
import { maskOf } from './outline.js';
import { FRAMINGS, type ShotFraming } from './shot.js';

/** A picture that this engine composed, split into its parts again with the help of its meta. */
export interface KnownSource {
  readonly picture: Raster;
  readonly framing: Framing;
  readonly shows: ShotFraming;
  /** How the wearer stood. */
  readonly rig: Rig;
  /** Masks of the picture's size. */
  readonly subject: Mask;
  readonly cloth: Mask;
  readonly front: Mask;
  readonly garmentClasses: readonly GarmentClass[];
}

const pointOf = (value: unknown): Point | undefined => {
  if (!Array.isArray(value)) return undefined;
  const [x, y]: unknown[] = value;
  return typeof x === 'number' && typeof y === 'number' ? [x, y] : undefined;
};

function armOf(value: unknown): ArmPose | undefined {
  const [elbow, wrist] = [pointOf(factsIn(value)['elbow']), pointOf(factsIn(value)['wrist'])];
  return elbow && wrist ? { ...armFromAngles(elbow, 1, 0, 0), elbow, wrist } : undefined;
}

/** The posed body of a wearer, without face and hair, because those do not affect the cloth. */
function rigOf(wearer: Facts): Rig | undefined {
  const gender = wearer['gender'];
  const body = BODY_TYPES.find((one) => one === wearer['body_type']);
  const stance = STANCES.find((one) => one === wearer['stance']);
  const arms = factsIn(wearer['arms']);
  const [left, right] = [armOf(arms['left']), armOf(arms['right'])];
  if ((gender !== 'FEMALE' && gender !== 'MALE') || !body || !stance || !left || !right) return undefined;
  const spec: FigureSpec = {
    ...cast({ gender, body_type: body }, 1),
    stance,
    lean: wearer['lean'] === -1 ? -1 : 1,
  };
  const onHip = (arm: ArmPose, side: -1 | 1): ArmPose => {
    const resting =
      stance === 'hand_on_hip' && side === spec.lean && Math.abs(arm.elbow[0]) > Math.abs(arm.wrist[0]) + 25;
    return resting ? { ...arm, handTurn: -0.5 * side, onHip: true } : arm;
  };
  return buildRig(spec, { left: onHip(left, -1), right: onHip(right, 1) });
}

export function classesOf(meta: Facts): GarmentClass[] {
  const garments = Array.isArray(meta['garments']) ? meta['garments'].map(factsIn) : [];
  const worn = garments.filter((one) => one['worn'] !== false).map((one) => one['garment_class']);
  const told = worn.length > 0 ? worn : [meta['garment_class']];
  return GARMENT_CLASSES.filter((one) => told.includes(one));
}

/**
 * @returns undefined for a picture whose meta does not describe its composition
 * @throws EngineError `bad_input` when the picture cannot be read
 */
export async function readKnownSource(
  input: EngineImage,
  longSide: number,
): Promise<KnownSource | undefined> {
  const meta = input.meta ?? {};
  const [view, outlines] = [factsIn(meta['view']), factsIn(meta['silhouettes'])];
  const { scale, x, y } = view;
  const shows = FRAMINGS.find((one) => one === view['framing']);
  const rig = rigOf(factsIn(meta['wearer']));
  if (typeof scale !== 'number' || typeof x !== 'number' || typeof y !== 'number' || !shows || !rig)
    return undefined;
  const picture = await decode(input.bytes, longSide, input.name);
  const { width, height } = picture;
  const [subject, cloth, front] = await Promise.all(
    ['subject', 'cloth', 'front'].map((name) => maskOf(outlines[name], width, height)),
  );
  if (!subject || !cloth) return undefined;
  return {
    picture,
    framing: { scale: (scale * height) / 900, x: width / 2 + x * height, y: y * height },
    shows,
    rig,
    subject,
    cloth,
    front: front ?? { data: new Uint8Array(width * height), width, height },
    garmentClasses: classesOf(meta),
  };
}
