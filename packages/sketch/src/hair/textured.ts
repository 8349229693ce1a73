import { shade } from '../drawing/colour.js';
import type { Point } from '../drawing/geometry.js';
import { path } from '../drawing/svg-sheet.js';
import { drawCurls, scalloped } from './curls.js';
import type { HairPainter } from './hair-painter.js';
import { capPoint, capShape, drawCap, type Cap } from './strands.js';
import { skullCap } from './tied.js';
import { points } from '../drawing/points.js';

const lightFrom = ([x, y]: Point): number => Math.max(0.1, Math.min(1, 0.62 - x / 130 - (y - 10) / 120));

export const drawCloud: HairPainter = (pens, frame, spec) => {
  const { colour, texture } = spec.hair;
  const random = spec.random.fork('cloud');
  const male = spec.gender === 'MALE';
  const size = (male ? 0.84 : 1) * random.between(0.9, 1.12);
  const [rx, ry] = [58 * size, 54 * size];
  const middle: Point = [0, 20 + (1 - size) * 18];
  const ring = Array.from({ length: 40 }, (_, i): Point => {
    const a = (i / 40) * 6.283;
    return frame.free(
      middle[0] + Math.cos(a) * rx,
      middle[1] + Math.sin(a) * ry * (Math.sin(a) > 0 ? 1.08 : 1),
    );
  });
  const edge = scalloped(ring, 3.4, random);
  const cap: Cap = {
    hairline: frame.all(
      points('-36 64, -32.5 48, -29.5 33, -21 21, -9 15, 0 13.5, 9 15, 21 21, 29.5 33, 32.5 48, 36 64'),
    ),
    crown: frame.freely(
      Array.from({ length: 13 }, (_, i): Point => {
        const a = Math.PI * (1 + i / 12) + (i - 6) * 0.055;
        return [middle[0] + Math.cos(a) * rx, middle[1] + Math.sin(a) * ry];
      }),
    ),
  };
  const at = capPoint(cap);
  const frontShape = scalloped([...cap.crown, ...[...cap.hairline].reverse()], 0.8, random);
  const radius = texture === 'coily' ? ([1.4, 3.2] as const) : ([2.4, 5] as const);
  return {
    back: drawCurls(
      pens,
      edge,
      colour,
      330,
      radius,
      (r) => {
        const [a, d] = [r.next() * 6.28, Math.sqrt(r.next()) * 1.02];
        return frame.free(
          middle[0] + Math.cos(a) * rx * d,
          middle[1] + Math.sin(a) * ry * d * (Math.sin(a) > 0 ? 1.08 : 1),
        );
      },
      lightFrom,
    ),
    front: drawCurls(
      pens,
      frontShape,
      colour,
      430,
      radius,
      (r) => at(r.between(0.02, 0.98), r.between(0, 0.97)),
      lightFrom,
    ),
  };
};

export const drawCurlyTop: HairPainter = (pens, frame, spec) => {
  const { colour, texture } = spec.hair;
  const random = spec.random.fork('curly');
  const fade = skullCap(frame, 3, 34.8);
  const cap: Cap = {
    hairline: frame.all(points('-31 30, -24 20, -12 16, 0 17, 12 15.5, 24 20, 31 30')),
    crown: scalloped(
      frame.freely(points('-35.4 28, -34.6 6, -24 -9, -8 -14.5, 8 -14.5, 24 -9, 34.6 6, 35.4 28')),
      1.5,
      random,
    ).slice(0, 15),
  };
  const at = capPoint(cap);
  const shape = scalloped([...cap.crown, ...[...cap.hairline].reverse()], 1.4, random);
  const radius = texture === 'coily' ? ([1.5, 2.9] as const) : ([2.2, 4.4] as const);
  return {
    back: '',
    front:
      path(capShape(fade), {
        fill: shade(colour, 2),
        'fill-opacity': 0.72,
        filter: pens.sheet.blur(0.7),
      }) +
      drawCurls(
        pens,
        shape,
        colour,
        300,
        radius,
        (r) => at(r.between(0.02, 0.98), r.between(-0.03, 0.98)),
        lightFrom,
      ),
  };
};

export const drawBuzz: HairPainter = (pens, frame, spec) => {
  const { colour } = spec.hair;
  const cap = skullCap(frame, 3, 35.2);
  const soft = path(capShape(cap), {
    fill: colour,
    'fill-opacity': 0.8,
    filter: pens.sheet.blur(0.8),
  });
  return {
    back: '',
    front:
      soft +
      drawCap(
        pens,
        cap,
        colour,
        520,
        (r) => {
          const [s, v] = [r.between(0.01, 0.99), r.between(0.02, 0.96)];
          return [s, v, s + r.wobble(0.01), v + 0.06, 0];
        },
        { width: [0.4, 0.8], opacity: 0.55 },
      ),
  };
};
