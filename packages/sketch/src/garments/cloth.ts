import { blend, lightness, shade } from '../drawing/colour.js';
import { polygon, trace } from '../drawing/curve.js';
import type { Point } from '../drawing/geometry.js';
import { ink } from '../drawing/ink.js';
import type { Box } from '../drawing/rasterise.js';
import type { SeededRandom } from '../drawing/seeded-random.js';
import { group, path, type SvgSheet } from '../drawing/svg-sheet.js';
import { textureTile, type Fabric, type Tile } from './fabric.js';
import { isOmbre, patternTile } from './patterns.js';

export interface PieceOptions {
  /** Degrees by which the grain of the cloth is turned, as in a sleeve. */
  readonly turn?: number;
  /** Another colour than the fabric's: a lining, a sole. */
  readonly colour?: string;
  /** Leaves print and texture away. */
  readonly bare?: boolean;
  /** How strongly the edges turn away from the light, 1 by default. */
  readonly round?: number;
  readonly sheen?: number;
  readonly opacity?: number;
}

/** Each edge is its own curve, so that corners stay sharp. */
export const contour = (...edges: readonly (readonly Point[])[]): Point[] =>
  edges.flatMap((edge) => (edge.length > 2 ? trace(edge, 6) : [...edge]));

export const mirror = (points: readonly Point[]): Point[] => points.map(([x, y]) => [-x, y]);

/** A closed shape from the edges of its right half, given from the top of the middle line to its bottom. */
export const symmetric = (...edges: readonly (readonly Point[])[]): Point[] => {
  const right = contour(...edges);
  return [...right, ...mirror(right).reverse()];
};

function boxOf(shape: readonly Point[]): Box {
  const xs = shape.map((p) => p[0]);
  const ys = shape.map((p) => p[1]);
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return { left, top, width: Math.max(...xs) - left, height: Math.max(...ys) - top };
}

/**
 * Cuts pieces from one fabric. Clothes are drawn in centimetres. Small things are drawn as large as clothes.
 */
export class Cloth {
  /** Seams and contours. */
  readonly line: string;
  readonly dark: string;
  readonly light: string;

  constructor(
    readonly sheet: SvgSheet,
    readonly fabric: Fabric,
    readonly random: SeededRandom,
    /** Whether the garment lies on paper; false if it is drawn to be worn. */
    readonly flat = true,
  ) {
    const { colour } = fabric;
    // A dark line is invisible on dark cloth, so there the seam has a lighter tone of the cloth.
    this.line = lightness(colour) < 24 ? shade(colour, 22, 0.7) : blend('#2b1d1f', shade(colour, -44), 0.35);
    this.dark = blend(shade(colour, lightness(colour) < 24 ? -9 : -22, 1.15), '#3a2340', 0.16);
    this.light = blend(shade(colour, 15), '#fff6e8', 0.3);
  }

  private tiled(tile: Tile | undefined, turn: number): string | undefined {
    if (!tile) return undefined;
    const scale = this.fabric.repeat;
    const transform = `rotate(${turn.toFixed(1)}) scale(${scale})`;
    return this.sheet.pattern(tile.width, tile.height, transform, tile.body);
  }

  private ground(shape: readonly Point[], options: PieceOptions): string {
    const { fabric } = this;
    const colour = options.colour ?? fabric.colour;
    if (options.colour || !isOmbre(fabric.pattern)) return colour;
    const { top, height } = boxOf(shape);
    const to = fabric.accents[0] ?? shade(colour, lightness(colour) > 50 ? -34 : 34);
    return this.sheet.linear(0, top, 0, top + height, [
      [0.15, colour],
      [0.95, to],
    ]);
  }

  /** One piece of cloth, with its ground, print, texture, roundness, sheen and edge. */
  piece(shape: readonly Point[], options: PieceOptions = {}): string {
    const d = polygon(shape);
    const { fabric } = this;
    const { material } = fabric;
    const { turn = 0, bare = false, round = 1, opacity = material.opacity, sheen = material.sheen } = options;
    const colour = options.colour ?? fabric.colour;
    const print = bare ? undefined : this.tiled(patternTile(fabric, this.random), turn);
    const texture = bare ? undefined : this.tiled(textureTile(material.texture, colour), turn);
    if (opacity === 0) return '';
    const clip = this.sheet.clip(d);
    return [
      path(d, { fill: this.ground(shape, options), 'fill-opacity': opacity }),
      print ? path(d, { fill: print, 'fill-opacity': opacity }) : '',
      texture ? path(d, { fill: texture }) : '',
      group(
        { 'clip-path': clip },
        this.form(shape, d, colour, round),
        sheen > 0.15 ? this.gloss(shape, sheen) : '',
      ),
      path(d, {
        fill: 'none',
        stroke: this.line,
        'stroke-width': 0.42,
        'stroke-linejoin': 'round',
        'stroke-opacity': 0.9,
      }),
    ].join('');
  }

  /** Shades the rim at the lower right, and puts a little light on the rim at the upper left. */
  private form(shape: readonly Point[], d: string, colour: string, round: number): string {
    const { width, height } = boxOf(shape);
    const reach = Math.max(0.8, Math.min(6, Math.min(width, height) * 0.16));
    const soft = this.sheet.blur(Math.round(reach * 40) / 100, 8);
    const dark = blend(shade(colour, lightness(colour) < 24 ? -9 : -24, 1.15), '#3a2340', 0.18);
    const rim = (stroke: string, opacity: number, shift: number, thick: number): string =>
      path(d, {
        fill: 'none',
        stroke,
        'stroke-width': (reach * thick).toFixed(2),
        'stroke-opacity': (opacity * round).toFixed(2),
        transform: `translate(${(reach * shift).toFixed(2)} ${(reach * shift * 0.7).toFixed(2)})`,
        filter: soft,
      });
    return rim(dark, 0.62, -0.32, 1.1) + rim('#fffaf0', lightness(colour) < 24 ? 0.14 : 0.34, 0.42, 0.6);
  }

  /** Streaks of light down the piece. */
  private gloss(shape: readonly Point[], sheen: number): string {
    const { left, top, width, height } = boxOf(shape);
    const soft = this.sheet.blur(Math.max(0.25, Math.round(width * (sheen > 0.9 ? 3 : 5)) / 100));
    const streak = (at: number, thick: number, opacity: number): string => {
      const x = left + width * at;
      const sway = width * 0.05;
      const line: Point[] = [0.04, 0.3, 0.55, 0.8, 0.97].map((t, i) => [
        x + (i % 2 ? sway : -sway),
        top + height * t,
      ]);
      return path(ink(line, { width: width * thick, ends: [0.1, 0.1] }), {
        fill: '#ffffff',
        'fill-opacity': (opacity * sheen).toFixed(2),
        filter: soft,
      });
    };
    return streak(0.27, 0.13, 0.6) + streak(0.68, 0.08, 0.38);
  }

  /** A seam: a thin line of even strength. */
  seam(points: readonly Point[], width = 0.32, opacity = 0.8): string {
    return path(ink(points, { width, ends: [0.7, 0.7] }), { fill: this.line, 'fill-opacity': opacity });
  }

  /** A fold: a soft valley with a line at its root. */
  fold(points: readonly Point[], width = 2.4, strength = 1): string {
    const soft = this.sheet.blur(Math.round(width * 28) / 100);
    return (
      path(ink(points, { width, ends: [0.5, 0.05], press: 0.3 }), {
        fill: this.dark,
        'fill-opacity': 0.5 * strength,
        filter: soft,
      }) +
      path(ink(points, { width: 0.42, ends: [0.8, 0.05], press: 0.15 }), {
        fill: this.line,
        'fill-opacity': 0.5 * strength,
      })
    );
  }

  folds(...lines: readonly (readonly Point[])[]): string {
    return lines.map((line) => this.fold(line)).join('');
  }

  /** Topstitching. */
  stitch(points: readonly Point[], colour = this.light): string {
    const line = points.length > 2 ? trace(points, 5) : points;
    return path(`M${line.map(([x, y]) => `${x.toFixed(2)} ${y.toFixed(2)}`).join('L')}`, {
      fill: 'none',
      stroke: colour,
      'stroke-width': 0.26,
      'stroke-dasharray': '1 .6',
      'stroke-opacity': 0.85,
    });
  }

  button(
    x: number,
    y: number,
    radius = 0.75,
    colour = shade(this.fabric.colour, lightness(this.fabric.colour) > 55 ? -34 : 30, 0.7),
  ): string {
    const ring = (r: number, attributes: string): string =>
      `<circle cx="${x.toFixed(2)}" cy="${y.toFixed(2)}" r="${r}" ${attributes}/>`;
    return (
      ring(radius, `fill="${colour}" stroke="${this.line}" stroke-width=".22"`) +
      ring(radius * 0.55, `fill="none" stroke="#ffffff" stroke-opacity=".35" stroke-width=".16"`) +
      `<path d="M${x - radius * 0.22} ${y}h.01M${x + radius * 0.22} ${y}h.01" stroke="${this.line}" stroke-width=".3" stroke-linecap="round"/>`
    );
  }

  /** Things of metal: a zip's teeth, a buckle. */
  get metal(): string {
    return lightness(this.fabric.colour) > 70 || /gold/.test(this.fabric.pattern) ? '#b9984f' : '#c3c0b8';
  }
}
