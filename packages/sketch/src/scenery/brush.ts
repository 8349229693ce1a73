import { blend, shade } from '../drawing/colour.js';
import { at, outline, polygon } from '../drawing/curve.js';
import { clamp, distance, lerp, type Point } from '../drawing/geometry.js';
import { ink } from '../drawing/ink.js';
import type { SeededRandom } from '../drawing/seeded-random.js';
import { element, path, type SvgSheet } from '../drawing/svg-sheet.js';
import { project, SUBJECT_DISTANCE, type Camera, type Vec3 } from './camera.js';
import type { Light } from './light.js';
import type { SceneColours } from './scene-colours.js';

/** The tools with which every part of a place is drawn. */
export interface Brush {
  readonly sheet: SvgSheet;
  readonly random: SeededRandom;
  readonly camera: Camera;
  readonly light: Light;
  readonly colours: SceneColours;
  /** Pixels of a picture of this size per pixel at 1K. */
  readonly unit: number;
  /** How visible the pen is, 0–1: less in a photograph than in a sketch. */
  readonly pen: number;
  /** How fast distance fades, per metre. */
  readonly fading: number;
}

export const on = (brush: Brush, x: number, y: number, z: number): Point => project(brush.camera, [x, y, z]);

/** How much light a plane with this normal gets: 0 is neither lit nor shaded. */
export function litBy({ light }: Brush, normal: Vec3): number {
  const [x, y, z] = light.direction;
  return clamp((normal[0] * x + normal[1] * y + normal[2] * z) * 1.35 - 0.5, -1, 1);
}

export const FRONT: Vec3 = [0, 0, -1];
export const UP: Vec3 = [0, 1, 0];
export const LEFT: Vec3 = [-1, 0, 0];
export const RIGHT: Vec3 = [1, 0, 0];

/** A colour as it looks under the scene's light (`lit`, −1…1) and at a distance of `z` metres. */
export function toned({ light, colours, fading }: Brush, colour: string, lit: number, z: number): string {
  const strength = light.contrast * (lit < 0 ? 20 : 12);
  const tinted = blend(
    shade(colour, lit * strength),
    lit < 0 ? light.shade : light.lit,
    Math.abs(lit) * light.contrast * 0.2,
  );
  const far = 1 - Math.exp(-Math.max(0, z - SUBJECT_DISTANCE) * fading);
  return far < 0.01 ? tinted : blend(tinted, colours.haze, far);
}

interface WashOptions {
  readonly opacity?: number;
  /** A darker rim, as wet paint leaves when it dries, 0–1. */
  readonly rim?: number;
  readonly clip?: string;
}

/** One wash of colour. `colour` may be a paint of the sheet; then `edge` gives the colour of the rim. */
export function wash(
  brush: Brush,
  d: string,
  colour: string,
  options: WashOptions & { edge?: string } = {},
): string {
  const { opacity, rim = 0.4, clip, edge = colour } = options;
  const plain = edge.startsWith('#');
  return path(d, {
    fill: colour,
    'fill-opacity': opacity,
    'clip-path': clip,
    ...(rim > 0 && plain
      ? {
          stroke: shade(edge, -11, 1.12),
          'stroke-opacity': (rim * (opacity ?? 1)).toFixed(2),
          'stroke-width': (1.3 * brush.unit).toFixed(2),
          'stroke-linejoin': 'round',
        }
      : {}),
  });
}

/** A flat piece with straight edges, given by its corners in the room. */
export function plane(
  brush: Brush,
  corners: readonly Vec3[],
  colour: string,
  normal: Vec3,
  options: WashOptions = {},
): string {
  const z = corners.reduce((sum, corner) => sum + corner[2], 0) / corners.length;
  const flat = polygon(corners.map((corner) => project(brush.camera, corner)));
  return wash(brush, flat, toned(brush, colour, litBy(brush, normal), z), options);
}

interface PenOptions {
  readonly opacity?: number;
  readonly colour?: string;
  readonly closed?: boolean;
  /** Whether the line turns sharply at its points. Otherwise it flows through them. */
  readonly corners?: boolean;
}

/** A line that turns by more than this has a corner there, radians. */
const CORNER = 0.6;

/** The runs of a line between its corners. */
function runs(line: readonly Point[]): Point[][] {
  const out: Point[][] = [];
  let run: Point[] = [];
  line.forEach((p, i) => {
    run.push(p);
    const [before, after] = [line[i - 1], line[i + 1]];
    if (!before || !after) return;
    const turn =
      Math.atan2(after[1] - p[1], after[0] - p[0]) - Math.atan2(p[1] - before[1], p[0] - before[0]);
    if (Math.abs(Math.atan2(Math.sin(turn), Math.cos(turn))) < CORNER) return;
    out.push(run);
    run = [p];
  });
  return [...out, run].filter((points) => points.length > 1);
}

/** A pen line through points. The points are in pixels, `weight` is in pixels at 1K. */
export function pen(
  brush: Brush,
  line: readonly Point[],
  weight: number,
  { opacity = 0.85, colour, closed = false, corners = false }: PenOptions = {},
): string {
  const first = line[0];
  const points = closed && first ? [...line, first] : line;
  const strokes = corners ? runs(points) : [points];
  const d = strokes.map((stroke) =>
    ink(stroke, {
      width: weight * brush.unit,
      ends: [0.55, 0.4],
      hand: brush.random,
      points: strokePoints(stroke, weight * brush.unit),
    }),
  );
  return path(d.join(''), {
    fill: colour ?? brush.colours.line,
    'fill-opacity': Math.min(1, opacity * brush.pen).toFixed(2),
  });
}

/**
 * A place is drawn with hundreds of lines. Half as many points as in a figure's contour are enough for them.
 */
const strokePoints = (line: readonly Point[], width: number): number => {
  const length = line.reduce((sum, p, i) => sum + (i ? distance(line[i - 1] ?? p, p) : 0), 0);
  return Math.max(line.length + 2, Math.min(36, Math.round(length / Math.max(9, width * 5))));
};

/** A straight edge as a hand draws it: slightly bowed, and a little too long at both ends. */
export function rule(brush: Brush, a: Point, b: Point, weight = 1.5, options: PenOptions = {}): string {
  const length = distance(a, b);
  if (length < 2) return '';
  const over = Math.min(4 * brush.unit, length * 0.04) * brush.random.next();
  const [dx, dy] = [(b[0] - a[0]) / length, (b[1] - a[1]) / length];
  const bow = brush.random.wobble(Math.min(length * 0.006, 2.2 * brush.unit));
  const point = (t: number, push: number): Point => [
    lerp(a[0], b[0], t) - dy * push,
    lerp(a[1], b[1], t) + dx * push,
  ];
  return pen(
    brush,
    [
      [a[0] - dx * over, a[1] - dy * over],
      point(0.35, bow),
      point(0.7, bow * 0.7),
      [b[0] + dx * over, b[1] + dy * over],
    ],
    weight,
    options,
  );
}

/** The straight edges of a polygon in the room. */
export function edges(
  brush: Brush,
  corners: readonly Vec3[],
  weight = 1.5,
  options: PenOptions = {},
): string {
  const flat = corners.map((corner) => project(brush.camera, corner));
  return flat.map((p, i) => rule(brush, p, flat[(i + 1) % flat.length] ?? p, weight, options)).join('');
}

/** Many thin straight lines as one path: joints, fibres, blades. */
export function hairlines(
  brush: Brush,
  lines: readonly (readonly [Point, Point])[],
  weight: number,
  colour: string,
  opacity: number,
): string {
  if (lines.length === 0) return '';
  return path(lines.map(([a, b]) => `M${at(a)}L${at(b)}`).join(''), {
    fill: 'none',
    stroke: colour,
    'stroke-width': (weight * brush.unit).toFixed(2),
    'stroke-linecap': 'round',
    'stroke-opacity': opacity.toFixed(2),
  });
}

/**
 * A soft spot: an ellipse whose colour fades to its rim. A gradient looks the same as a blur, but needs no
 * filter, which would cost a whole sheet.
 * @param core how far from the middle the full colour reaches, as a share
 */
export function spot(
  sheet: SvgSheet,
  [cx, cy]: Point,
  rx: number,
  ry: number,
  colour: string,
  opacity: number,
  core = 0,
  turn = 0,
): string {
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
  const matrix = [cos * rx, sin * rx, -sin * ry, cos * ry, cx, cy].map((v) => v.toFixed(2)).join(' ');
  return element('circle', {
    r: 1,
    transform: `matrix(${matrix})`,
    fill: sheet.radial(0, 0, 1, [
      [core, colour, 1],
      [core + (1 - core) * 0.5, colour, 0.48],
      [1, colour, 0],
    ]),
    'fill-opacity': opacity.toFixed(2),
  });
}

/** A rounded blot with a wandering rim, in pixels. */
export function blot(
  random: SeededRandom,
  [cx, cy]: Point,
  rx: number,
  ry: number,
  roughness = 0.18,
  corners = 11,
): string {
  const phase = random.next() * 6.28;
  return outline(
    Array.from({ length: corners }, (_, i): Point => {
      const angle = phase + (i / corners) * Math.PI * 2;
      const reach = 1 + random.wobble(roughness);
      return [cx + Math.cos(angle) * rx * reach, cy + Math.sin(angle) * ry * reach];
    }),
  );
}

/** Line weight that shrinks with distance. */
export const weightAt = (z: number, weight = 1.7): number =>
  weight * clamp(0.45 + (0.6 * SUBJECT_DISTANCE) / z, 0.4, 1.3);
