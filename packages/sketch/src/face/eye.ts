import type { FaceSpec, FigureSpec } from '../casting/figure-spec.js';
import { blend, shade } from '../drawing/colour.js';
import { outline } from '../drawing/curve.js';
import { rotate, type Point } from '../drawing/geometry.js';
import { element, group, path } from '../drawing/svg-sheet.js';
import { stroke, type Palette, type Pens } from '../figure/pens.js';
import type { HeadFrame } from './head-frame.js';
import type { Patch } from './soft-shading.js';
import { points } from '../drawing/points.js';

const UPPER: readonly Point[] = points('-8 1.7, -6.4 -0.6, -3.4 -3.7, 0.2 -4.9, 4 -4.3, 6.8 -2.1, 8.3 0');
const LOWER: readonly Point[] = points('8.3 0, 5.8 2.4, 2.2 3.7, -2 3.6, -5.4 2.6, -8 1.7');

type Put = (points: readonly Point[]) => Point[];

/** Places eye-local points (x to the outer corner) on the face. */
function placer(frame: HeadFrame, face: FaceSpec, male: boolean, side: -1 | 1): Put {
  const open = male ? 0.82 : 1;
  return (points) =>
    points.map(([x, y]) => {
      const [rx, ry] = rotate([x * face.eyeSize, y * face.eyeSize * open], -face.eyeTilt);
      return frame.put((16.6 + rx) * side, 50.5 + ry);
    });
}

function ball(pens: Pens, put: Put, face: FaceSpec, side: -1 | 1): string {
  const clip = pens.sheet.clip(outline([...put(UPPER), ...put(LOWER).slice(1, -1)]));
  const [[cx, cy] = [0, 0]] = put([[side * 0.4, -0.7]]);
  const radius = 4.25 * face.eyeSize;
  const iris = face.eyeColour;
  const disc = (r: number, fill: string, dx = 0, dy = 0, opacity = 1): string =>
    element('circle', {
      cx: (cx + dx).toFixed(2),
      cy: (cy + dy).toFixed(2),
      r,
      fill,
      'fill-opacity': opacity,
    });
  const glow = pens.sheet.radial(cx, cy + radius * 0.5, radius * 1.15, [
    [0, shade(iris, 20, 1.1)],
    [0.62, iris],
    [1, shade(iris, -16)],
  ]);
  return group(
    { 'clip-path': clip },
    path(outline([...put(UPPER), ...put(LOWER).slice(1, -1)]), {
      fill: blend('#f8f3ee', pens.palette.skinLight, 0.16),
    }),
    disc(radius, shade(iris, -24)),
    disc(radius * 0.93, glow),
    disc(radius * 0.46, '#120c0c'),
    path(outline([...put(UPPER), ...put(points('8 -1, 4 -1.6, 0 -2, -4 -1.2'))]), {
      fill: pens.palette.skinDeep,
      'fill-opacity': 0.45,
    }),
    disc(radius * 0.25, '#ffffff', -radius * 0.34, -radius * 0.42, 0.96),
    disc(radius * 0.13, '#ffffff', radius * 0.36, radius * 0.42, 0.6),
  );
}

function lashes(pens: Pens, put: Put, male: boolean): string {
  const weight = male ? 1.15 : 1.9;
  const wing: Point[] = male ? [] : [[10.4, -2.2]];
  const parts = [
    stroke(pens, put([...UPPER, ...wing]), weight, { ends: [0.2, 0.18], press: 0.66, colour: '#1c1314' }),
    stroke(pens, put(LOWER.slice(0, 5)), 0.6, { ends: [0.7, 0.15], press: 0.2, opacity: 0.7 }),
  ];
  if (!male) {
    for (let i = 0; i < 7; i++) {
      const t = i / 6;
      const root: Point = [0.5 + 7.2 * t, -4.7 + 3.9 * t * t];
      const tip: Point = [root[0] + 1.2 + 2.4 * t, root[1] - 2.8 + 0.9 * t];
      const bend: Point = [root[0] + 0.9 + t, root[1] - 1];
      parts.push(
        stroke(pens, put([root, bend, tip]), 0.55, { ends: [1, 0.1], press: 0.05, colour: '#1c1314' }),
      );
    }
  }
  return parts.join('');
}

function brow(pens: Pens, frame: HeadFrame, spec: FigureSpec, side: -1 | 1): string {
  const { browArch, browWeight } = spec.face;
  const colour = blend(spec.hair.colour, '#2a1a14', 0.35);
  const lift = 1.7 * browArch;
  const axis: Point[] = [
    [7, 39.6],
    [12.4, 38.2 - lift * 0.45],
    [19, 37 - lift],
    [24.4, 37.9 - lift * 0.9],
    [28.6, 40.8 - lift * 0.4],
  ];
  const put = (points: readonly Point[]): Point[] => points.map(([x, y]) => frame.put(x * side, y));
  const hairs = Array.from({ length: 18 }, (_, i) => {
    // The tail is a single stroke, because hairs there would stand up like a comb.
    const t = (0.74 * i) / 17;
    const a = axis[Math.min(3, Math.floor(t * 4))] ?? [7, 40];
    const b = axis[Math.min(4, Math.floor(t * 4) + 1)] ?? [28, 41];
    const u = t * 4 - Math.floor(t * 4);
    const x = a[0] + (b[0] - a[0]) * u;
    const y = a[1] + (b[1] - a[1]) * u;
    const reach = 3.4 * (1 - 0.45 * t);
    const root: Point = [x - 1, y + 1.3 * browWeight * (1 - t * 0.6)];
    return stroke(pens, put([root, [x + reach * 0.5, y - 0.6], [x + reach, y - 1.2 + 1.9 * t]]), 0.75, {
      colour,
      ends: [0.8, 0.1],
      opacity: 0.75,
    });
  });
  return [
    stroke(pens, put(axis), 3.1 * browWeight, { colour, ends: [0.6, 0.06], press: 0.3, opacity: 0.62 }),
    ...hairs,
  ].join('');
}

export function drawEye(pens: Pens, frame: HeadFrame, spec: FigureSpec, side: -1 | 1): string {
  const male = spec.gender === 'MALE';
  const { face } = spec;
  const put = placer(frame, face, male, side);
  const crease: Point[] = points('-6.6 -2.2, -3 -6, 0.8 -7.4, 4.8 -6.6, 8.6 -3.2');
  const lid = face.smoothLid
    ? stroke(pens, put(points('-2 -6, 2.5 -6.5, 7.4 -3.8')), 0.5, { opacity: 0.3 })
    : stroke(pens, put(crease), male ? 0.9 : 0.75, { opacity: 0.6, ends: [0.1, 0.3], press: 0.7 });
  const under = stroke(pens, put(points('-6 5.6, 0 7.4, 6 5.8')), 0.7, {
    opacity: 0.14 + 0.22 * face.maturity,
    colour: pens.palette.skinDeep,
  });
  return [
    ball(pens, put, face, side),
    lid,
    under,
    lashes(pens, put, male),
    brow(pens, frame, spec, side),
  ].join('');
}

/** The hollow of the eyes, in face coordinates. */
export function eyeShade(palette: Palette, spec: FigureSpec): Patch[] {
  const opacity = spec.gender === 'MALE' ? 0.36 : 0.46;
  return ([-1, 1] as const).map((side) => ({
    points: points('8.2 48, 12 43, 18 41.2, 25 43.2, 28 49, 24 47.6, 17.6 45.6, 12.6 46.6').map(
      ([x, y]): Point => [x * side, y],
    ),
    fill: palette.skinDeep,
    opacity,
  }));
}
