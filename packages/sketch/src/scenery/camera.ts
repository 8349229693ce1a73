import type { Point } from '../drawing/geometry.js';
import type { Crop } from './scene-spec.js';

/** Metres: x to the right, y up from the floor, z away from the camera. */
export type Vec3 = readonly [x: number, y: number, z: number];

/** Distance of the standing subject from the camera. It leaves room for the place around the subject. */
export const SUBJECT_DISTANCE = 3;
/** Height of the person that a scene is framed for, with shoes. */
const SUBJECT_HEIGHT = 1.75;

export interface Camera {
  readonly width: number;
  readonly height: number;
  /** Height of the vanishing line and of the camera's axis, in pixels. */
  readonly horizon: number;
  readonly centre: number;
  /** Pixels of one metre at a distance of one metre. */
  readonly focal: number;
  /** Height of the camera over the floor. */
  readonly eye: number;
  /** Nearest floor that the picture still shows, metres. */
  readonly near: number;
}

/** The floor line and the subject's height as shares of the picture, and the camera's height in metres. */
export interface Framing {
  readonly floorLine: number;
  readonly subject: number;
  readonly eye: number;
}

export const FRAMINGS: Readonly<Record<Crop, Framing>> = {
  full: { floorLine: 0.925, subject: 0.84, eye: 1.02 },
  three_quarter: { floorLine: 1.2, subject: 1.1, eye: 1.16 },
  torso: { floorLine: 1.72, subject: 1.62, eye: 1.34 },
};

/** @param lean sideways shift of the camera's axis as a share of the width */
export function aim(width: number, height: number, framing: Framing, lean: number): Camera {
  const perMetre = (framing.subject * height) / SUBJECT_HEIGHT;
  const focal = perMetre * SUBJECT_DISTANCE;
  const horizon = framing.floorLine * height - framing.eye * perMetre;
  const near = Math.max(0.4, (framing.eye * focal) / (height * 1.02 - horizon));
  return { width, height, horizon, centre: width * (0.5 + lean), focal, eye: framing.eye, near };
}

export const project = (camera: Camera, [x, y, z]: Vec3): Point => [
  camera.centre + (x * camera.focal) / z,
  camera.horizon + ((camera.eye - y) * camera.focal) / z,
];

type Range = readonly [from: number, to: number];

/** The corners of a rectangle that faces the camera, of one that lies flat, and of one that runs away from it. */
export const upright = ([x0, x1]: Range, [y0, y1]: Range, z: number): Vec3[] => [
  [x0, y0, z],
  [x1, y0, z],
  [x1, y1, z],
  [x0, y1, z],
];
export const lying = ([x0, x1]: Range, y: number, [z0, z1]: Range): Vec3[] => [
  [x0, y, z0],
  [x1, y, z0],
  [x1, y, z1],
  [x0, y, z1],
];
export const sideways = (x: number, [y0, y1]: Range, [z0, z1]: Range): Vec3[] => [
  [x, y0, z0],
  [x, y0, z1],
  [x, y1, z1],
  [x, y1, z0],
];

/** Pixels of a metre at a distance. */
export const perMetre = (camera: Camera, z: number): number => camera.focal / z;

/** The metres that the picture shows at a distance, from its left edge to its right edge. */
export const seen = (camera: Camera, z: number): readonly [left: number, right: number] => [
  (-camera.centre * z) / camera.focal,
  ((camera.width - camera.centre) * z) / camera.focal,
];

/** Height of the picture's upper edge over the floor, at a distance, in metres. */
export const topOf = (camera: Camera, z: number): number => camera.eye + (camera.horizon * z) / camera.focal;
