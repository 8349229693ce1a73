import type { FigureSpec } from '../casting/figure-spec.js';
import { lerp, mixPoints, profile, rotate, type Point } from '../drawing/geometry.js';
import { Limb } from './limb.js';
import { proportionsOf, type Proportions } from './proportions.js';
import { points } from '../drawing/points.js';

/** The pose of an arm: elbow and wrist in figure units, and the turn of the hand against the forearm. */
export interface ArmPose {
  readonly elbow: Point;
  readonly wrist: Point;
  readonly handTurn: number;
  readonly onHip: boolean;
}

export interface Rig {
  readonly spec: FigureSpec;
  readonly proportions: Proportions;
  /** Moves a point of the upright trunk (x from the middle line, y the height) into the pose. */
  readonly place: (x: number, y: number) => Point;
  readonly arms: Readonly<Record<'left' | 'right', Limb>>;
  readonly poses: Readonly<Record<'left' | 'right', ArmPose>>;
  readonly legs: Readonly<Record<'left' | 'right', Limb>>;
  /** The leg that carries the weight is drawn in front. */
  readonly weightSide: 'left' | 'right';
}

export const SIDES = [
  ['left', -1],
  ['right', 1],
] as const;

function trunkPose(spec: FigureSpec): (x: number, y: number) => Point {
  const { lean } = spec;
  const amount = spec.gender === 'MALE' ? 0.6 : 1;
  const shift: Point[] = points('120 0, 165 -1.5, 230 -3, 300 2.5, 360 10, 400 13, 430 13');
  const turn: Point[] = points('120 0.01, 160 0.055, 230 0.03, 300 -0.02, 370 -0.085, 430 -0.085');
  return (x, y) => {
    const angle = profile(turn, y) * lean * amount;
    const centre = profile(shift, y) * lean * amount;
    return [centre + x * Math.cos(angle), y + x * Math.sin(angle)];
  };
}

const polar = (from: Point, length: number, outward: number, side: number): Point => [
  from[0] + Math.sin(outward) * length * side,
  from[1] + Math.cos(outward) * length,
];

export function shoulderJoint(place: Rig['place'], proportions: Proportions, side: -1 | 1): Point {
  const [, outer] = proportions.arm[1] ?? [0, 12, 12];
  return place((proportions.shoulder - outer + 1.5) * side, 171);
}

function armPose(spec: FigureSpec, joint: Point, side: -1 | 1, hip: Point): ArmPose {
  const wiggle = spec.random.fork(`arm${side}`);
  if (spec.stance === 'hand_on_hip' && side === spec.lean) {
    const elbow = polar(joint, 128, 0.66, side);
    return { elbow, wrist: [hip[0] + side * 5, hip[1]], handTurn: -0.5 * side, onHip: true };
  }
  if (spec.stance === 'walking') {
    // Arms swing against the legs, so the arm beside the leg that carries the weight goes back and hangs
    // closer.
    const back = side === spec.lean;
    const swung = polar(joint, back ? 128 : 132, back ? 0.1 : 0.24, side);
    const reach = polar(swung, back ? 98 : 108, back ? -0.04 : -0.2, side);
    return { elbow: swung, wrist: reach, handTurn: 0.1 * side, onHip: false };
  }
  const elbow = polar(joint, 134, wiggle.between(0.16, 0.24), side);
  const wrist = polar(elbow, 112, wiggle.between(-0.02, 0.1), side);
  return { elbow, wrist, handTurn: wiggle.between(-0.05, 0.12) * side, onHip: false };
}

/** Straight-line arm given by two angles outward from straight down, radians. */
export function armFromAngles(joint: Point, side: -1 | 1, upper: number, fore: number): ArmPose {
  const elbow = polar(joint, 134, upper, side);
  return { elbow, wrist: polar(elbow, 112, fore, side), handTurn: 0, onHip: false };
}

function legJoints(place: Rig['place'], spec: FigureSpec, side: -1 | 1): Point[] {
  const apart = spec.bodyType === 'fuller' ? 1.14 : 1;
  const hip = place(30.5 * side * apart, 372);
  const male = spec.gender === 'MALE';
  if (spec.stance === 'walking') {
    // One foot is put down before the other, as on a catwalk. The rear leg looks bent, and its foot is higher
    // on the page.
    const front = side === spec.lean;
    const ankle: Point = front
      ? [side * (male ? 22 : 9) * apart, 830]
      : [side * (male ? 38 : 22) * apart, 794];
    const knee: Point = [lerp(hip[0], ankle[0], front ? 0.42 : 0.56) + side * 1, front ? 606 : 594];
    return [hip, knee, ankle];
  }
  if (side === spec.lean) {
    const ankle: Point = [side * (male ? 30 : 12) * apart, 828];
    const knee: Point = [lerp(hip[0], ankle[0], 0.4) + side * 1, 606];
    return [hip, knee, ankle];
  }
  const ankle: Point = [side * (male ? 62 : 56) * apart, 822];
  const knee: Point = [lerp(hip[0], ankle[0], 0.62) + side * 1, 600];
  return [hip, knee, ankle];
}

const bowed = ([hip, knee, ankle]: Point[], side: number): Point[] => {
  if (!hip || !knee || !ankle) throw new RangeError('a leg has three joints');
  return [
    hip,
    [lerp(hip[0], knee[0], 0.5) + side * 2.5, lerp(hip[1], knee[1], 0.5)],
    knee,
    [lerp(knee[0], ankle[0], 0.4) + side * 3, lerp(knee[1], ankle[1], 0.4)],
    ankle,
  ];
};

export function buildRig(spec: FigureSpec, armOverride?: Partial<Record<'left' | 'right', ArmPose>>): Rig {
  const proportions = proportionsOf(spec);
  const place = trunkPose(spec);
  const pose = (name: 'left' | 'right', side: -1 | 1): ArmPose =>
    armOverride?.[name] ??
    armPose(
      spec,
      shoulderJoint(place, proportions, side),
      side,
      place((proportions.trunk(340) + 2) * side, 342),
    );
  const poses = { left: pose('left', -1), right: pose('right', 1) };
  const arm = (name: 'left' | 'right', side: -1 | 1): Limb => {
    const joint = shoulderJoint(place, proportions, side);
    const { elbow, wrist } = poses[name];
    const mid = (a: Point, b: Point, t: number, bow: number): Point =>
      rotate(mixPoints(a, b, t), bow * side, a);
    const joints = [joint, mid(joint, elbow, 0.5, -0.02), elbow, mid(elbow, wrist, 0.5, -0.03), wrist];
    return new Limb(joints, proportions.arm, side);
  };
  const leg = (side: -1 | 1): Limb =>
    new Limb(bowed(legJoints(place, spec, side), side), proportions.leg, side);
  return {
    spec,
    proportions,
    place,
    poses,
    arms: { left: arm('left', -1), right: arm('right', 1) },
    legs: { left: leg(-1), right: leg(1) },
    weightSide: spec.lean === 1 ? 'right' : 'left',
  };
}
