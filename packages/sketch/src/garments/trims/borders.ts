import { shade } from '../../drawing/colour.js';
import { type Point } from '../../drawing/geometry.js';
import { path } from '../../drawing/svg-sheet.js';
import { contour, mirror, type Cloth } from '../cloth.js';
import { across, band, type Frame, type Trim } from '../frame.js';
import { bothSeams, box, tonal, borderColour, ribs, sleeves } from './sewing.js';

/** A band with a running motif, like a zari border or a block-printed one. */
function ornate(cloth: Cloth, shape: readonly Point[], line: readonly Point[], size: number): string {
  const gold = borderColour(cloth);
  const steps = contour(line);
  let walked = 0;
  const motifs = steps.flatMap((p, i) => {
    const before = steps[i - 1] ?? p;
    walked += Math.hypot(p[0] - before[0], p[1] - before[1]);
    if (walked < size * 1.5) return [];
    walked = 0;
    const [x, y] = p;
    return [
      path(
        `M${x.toFixed(2)} ${(y - size * 0.62).toFixed(2)}l${size * 0.4} ${size * 0.62}l${-size * 0.4} ${size * 0.62}l${-size * 0.4} ${-size * 0.62}Z`,
        { fill: shade(gold, -26), 'fill-opacity': 0.75 },
      ),
    ];
  });
  return (
    cloth.piece(shape, { colour: gold, bare: true, sheen: 0.35, round: 0.5, opacity: 1 }) + motifs.join('')
  );
}

const hemBorder: Trim = (cloth, frame) => {
  const height = frame.hem > 90 ? 5.5 : 2.6;
  return ornate(
    cloth,
    band(frame, frame.hem - height, frame.hem + 0.2, 1.5),
    across(frame, frame.hem - height / 2, 1.5),
    height * 0.55,
  );
};

function neckBorder(cloth: Cloth, { neckline, neck: [n] }: Frame): string {
  const width = 2.6;
  const outer = neckline.map(([x, y]): Point => [x + (x / n) * width * 0.5, y + width * (1 - 0.5 * (x / n))]);
  const shape = contour([...neckline], [...outer].reverse());
  const middle = neckline.map(([x, y], i): Point => [
    (x + (outer[i]?.[0] ?? x)) / 2,
    (y + (outer[i]?.[1] ?? y)) / 2,
  ]);
  return (
    ornate(cloth, shape, middle, width * 0.5) + ornate(cloth, mirror(shape), mirror(middle), width * 0.5)
  );
}

const frontStrip = (cloth: Cloth, frame: Frame, width: number): string => {
  const [, depth] = frame.neck;
  return ornate(
    cloth,
    box(-width / 2, depth, width, frame.hem + 1 - depth),
    [
      [0, depth],
      [0, (depth + frame.hem) / 2],
      [0, frame.hem],
    ],
    width * 0.5,
  );
};

/** Trims of edges: cuffs, hems, necklines, and the borders that are woven or sewn along them. */
export const BORDERS: Readonly<Record<string, Trim>> = {
  cuffs: (c, f) =>
    sleeves(c, f, 4.6, { widen: 0.3 }) +
    (f.sleeve
      ? [1, -1]
          .map((s) => {
            const { outer, inner, down } = f.sleeve ?? { outer: [0, 0], inner: [0, 0], down: [0, 1] };
            return c.button(
              s * (outer[0] * 0.66 + inner[0] * 0.34 - down[0] * 2.3),
              outer[1] * 0.66 + inner[1] * 0.34 - down[1] * 2.3,
              0.6,
            );
          })
          .join('')
      : ''),
  rib_cuffs: (c, f) =>
    sleeves(c, f, f.sleeve && f.sleeve.outer[1] > 40 ? 5 : 2, {
      colour: tonal(c, 4),
      bare: true,
      widen: -0.2,
    }),
  zip_cuffs: (c, f) => sleeves(c, f, 0.9, { colour: c.metal, bare: true }),
  cuff_straps: (c, f) => sleeves(c, f, 1.8, { widen: 0.4 }),
  cuff_border: (c, f) => sleeves(c, f, 4.4, { colour: borderColour(c), bare: true, sheen: 0.3 }),
  sleeve_border: (c, f) => sleeves(c, f, 2.8, { colour: borderColour(c), bare: true, sheen: 0.3 }),
  rib_hem: (c, f) =>
    c.piece(band(f, f.hem - 5.4, f.hem + 0.4, 1.5), {
      colour: tonal(c, 4),
      bare: true,
      round: 0.5,
      sheen: 0,
    }) + ribs(c, f, f.hem - 5.2, f.hem),
  hem_band: (c, f) =>
    c.piece(band(f, f.hem - 4.4, f.hem + 0.6, 1.5), { round: 0.5 }) + c.stitch(across(f, f.hem - 4.9, 1.5)),
  hem_border: hemBorder,
  neck_border: (c, f) => neckBorder(c, f),
  front_border: (c, f) => frontStrip(c, f, 3.4),
  collar_border: () => '',
  binding: (c, f) =>
    bothSeams(
      c,
      f.neckline.map(([x, y]): Point => [x + 0.7, y + 0.9]),
      0.34,
    ),
  piping: (c, f) => {
    const line = f.neckline.map(([x, y]): Point => [x, y + 0.3]);
    const d = (p: readonly Point[]): string => `M${p.map(([x, y]) => `${x} ${y}`).join('L')}`;
    return (
      [line, mirror(line)]
        .map((p) => path(d(p), { fill: 'none', stroke: borderColour(c), 'stroke-width': 0.7 }))
        .join('') + sleeves(c, f, 0.9, { colour: borderColour(c), bare: true })
    );
  },
  lace_edge: (c, f) => {
    const y = f.neck[1];
    const line = contour([
      [-11.8, y - 7.4],
      [-6, y - 2.4],
      [0, y + 0.4],
      [6, y - 2.4],
      [11.8, y - 7.4],
    ]);
    return line
      .filter((_, i) => i % 2 === 0)
      .map(
        ([x, yy]) =>
          `<circle cx="${x.toFixed(2)}" cy="${(yy + 1).toFixed(2)}" r="1.1" fill="${c.light}" stroke="${c.line}" stroke-width=".16" stroke-opacity=".7"/><circle cx="${x.toFixed(2)}" cy="${(yy + 1).toFixed(2)}" r=".34" fill="${c.dark}" fill-opacity=".5"/>`,
      )
      .join('');
  },
  waist_border: (c, f) => ornate(c, band(f, f.waist - 2.2, f.waist + 2.2, 1.2), across(f, f.waist, 1.2), 2.4),
  front_band: (c, f) => {
    const line: Point[] = [
      [0, f.neck[1] + 1],
      [0, f.hem],
    ];
    return (
      bothSeams(
        c,
        line.map(([, y]): Point => [1.8, y]),
      ) +
      bothSeams(
        c,
        f.neckline.map(([x, y]): Point => [x + 1.6, y + 1.8]),
      )
    );
  },
  vee_insert: (c, f) =>
    c.seam([
      [-2.6, f.neck[1] + 2],
      [0, f.neck[1] + 7],
      [2.6, f.neck[1] + 2],
    ]),
};
