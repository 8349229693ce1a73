import { blend, shade } from '../drawing/colour.js';
import { polygon } from '../drawing/curve.js';
import { edges, litBy, on, pen, plane, rule, toned, UP, wash, spot } from './brush.js';
import { lying, seen, SUBJECT_DISTANCE, topOf, type Vec3 } from './camera.js';
import { drawColumn } from './anchor/structures.js';
import { trunk } from './anchor/foliage.js';
import { tufts } from './ground/loose.js';
import type { Site } from './place/place.js';
import { box, disc, drape, shadowOf, squash } from './solids.js';
import type { SceneSpec } from './scene-spec.js';

/** Distance of the plane behind the subject in each zone, metres. */
export const REAR: Readonly<Record<SceneSpec['zone']['preset'], number>> = {
  near_rear_plane: 4.4,
  framed_between_sides: 6,
  shallow_patio: 5.2,
  receding_path: 8,
  central_open: 6.8,
  custom: 5.6,
};

/** The subject's place, as a share of the width. A custom zone may say left or right. */
export function subjectAt(spec: SceneSpec): number {
  if (spec.zone.preset !== 'custom') return 0.5;
  if (/\bleft\b/i.test(spec.zone.text)) return 0.36;
  return /\bright\b/i.test(spec.zone.text) ? 0.64 : 0.5;
}

/** The path under the subject's feet, from the picture's lower edge away to the rear. */
function path({ brush, rear, overhead, ground, drawn }: Site): string {
  const { camera, colours } = brush;
  const street = drawn === 'street_path';
  const end =
    drawn === 'open_location' && overhead === 'sky'
      ? Math.max(rear * 2.4, 18)
      : street
        ? Math.max(15, rear * 1.8)
        : rear - 0.05;
  const half = 0.52;
  const loose = ground === 'earth_grass' || ground === 'moss' || ground === 'sand' || ground === 'snow';
  const bend = loose && drawn === 'open_location' ? 0.9 : 0;
  const at = (side: number, t: number): readonly [number, number] => {
    const z = 1 / ((1 - t) / (camera.near * 0.95) + t / end);
    return [side * half + bend * Math.sin((z / end) * 3.1), z];
  };
  const steps = [0, 0.12, 0.25, 0.4, 0.55, 0.7, 0.82, 0.92, 1];
  const line = (side: number) => steps.map((t) => at(side, t)).map(([x, z]) => on(brush, x, 0, z));
  const [left, right] = [line(-1), line(1)];
  const paved = street
    ? blend(colours.stone, colours.second, 0.35)
    : blend(colours.second, colours.accent, 0.35);
  const tone = loose ? blend('#c9a97c', colours.floor, 0.3) : paved;
  const lit = litBy(brush, UP);
  const paint = brush.sheet.linear(0, Math.round(camera.horizon), 0, camera.height, [
    [0, toned(brush, shade(tone, 4), lit, Math.min(end, 14))],
    [1, toned(brush, tone, lit, 3)],
  ]);
  const shape = polygon([...left, ...[...right].reverse()]);
  const slabs = loose
    ? ''
    : Array.from({ length: 9 }, (_, i) => {
        const t = 0.08 + i * 0.1;
        const [[x0, z], [x1]] = [at(-1, t), at(1, t)];
        return rule(brush, on(brush, x0, 0, z), on(brush, x1, 0, z), 1, { opacity: 0.35 });
      }).join('');
  return (
    wash(brush, shape, paint, { opacity: loose ? 0.85 : 0.8, edge: tone, rim: 0.8 }) +
    slabs +
    pen(brush, left, 1.5, { opacity: 0.6 }) +
    pen(brush, right, 1.5, { opacity: 0.6 })
  );
}

/** A paved court with its border and, at the rear, one step up. */
function patio({ brush, rear, overhead }: Site): string {
  const { colours, camera } = brush;
  const back = Math.min(rear - 0.4, 4.7);
  const [left, right] = seen(camera, SUBJECT_DISTANCE);
  const half = Math.min(1.45, ((right - left) / 2) * 0.86);
  const stone = blend(colours.stone, colours.wall, 0.35);
  const front = Math.max(camera.near, 2.1);
  const ring = (inset: number): Vec3[] =>
    lying([-half + inset, half - inset], 0, [front + inset, back - inset]);
  const step = box(
    brush,
    {
      x: [overhead === 'sky' ? -half * 1.25 : -9, overhead === 'sky' ? half * 1.25 : 9],
      y: [0, 0.13],
      z: [back, back + 0.42],
    },
    shade(stone, 4),
  );
  return (
    plane(brush, ring(0), shade(stone, -9), UP, { rim: 0.8 }) +
    plane(brush, ring(0.14), blend(stone, '#f1e9da', 0.35), UP, { rim: 0.6 }) +
    edges(brush, ring(0), 1.5, { opacity: 0.7 }) +
    edges(brush, ring(0.14), 1.1, { opacity: 0.5 }) +
    step
  );
}

/** A worn ring of lighter ground: the middle is kept free. */
function clearing({ brush }: Site): string {
  const paint = blend(brush.colours.floor, '#fff6e4', 0.75);
  const z = SUBJECT_DISTANCE + 0.25;
  const reach = (1.2 * brush.camera.focal) / z;
  return spot(brush.sheet, on(brush, 0, 0, z), reach, reach * squash(brush, 0, z), paint, 0.3, 0.4);
}

/** A round mark on the floor at the subject's place. */
function mark(site: Site): string {
  const { brush, spec } = site;
  const { camera, colours } = brush;
  const x = ((subjectAt(spec) * camera.width - camera.centre) / camera.focal) * SUBJECT_DISTANCE;
  const stone = blend(colours.second, '#f2eadb', 0.35);
  return [
    shadowOf(brush, [x, SUBJECT_DISTANCE + 0.12], 0.62, 0.12),
    disc(brush, [x, 0, SUBJECT_DISTANCE + 0.12], 0.64, toned(brush, stone, -0.7, 3)),
    disc(brush, [x, 0.05, SUBJECT_DISTANCE + 0.12], 0.63, toned(brush, stone, 0.5, 3)),
    disc(brush, [x, 0.051, SUBJECT_DISTANCE + 0.12], 0.52, toned(brush, shade(stone, 4), 0.5, 3), 0.8),
  ].join('');
}

/** The zone's marks on the floor, under the anchors. */
export function zoneFloor(site: Site): string {
  const draw: Readonly<Record<SceneSpec['zone']['preset'], (site: Site) => string>> = {
    near_rear_plane: () => '',
    framed_between_sides: () => '',
    shallow_patio: patio,
    receding_path: path,
    central_open: clearing,
    custom: mark,
  };
  return draw[site.spec.zone.preset](site);
}

/** Pieces that frame the subject on both sides, in the place's material: cloth, trunks, columns or flats. */
export function zoneSides(site: Site): string {
  const { brush, spec } = site;
  const { camera, colours } = brush;
  if (spec.zone.preset !== 'framed_between_sides') return '';
  const z = SUBJECT_DISTANCE + 0.7;
  const [left, right] = seen(camera, z);
  const at = (side: number, share: number): number => (side < 0 ? left * share : right * share);
  const height = topOf(camera, z) + 0.3;
  // Under a roof no trees grow.
  const inside = site.drawn === 'open_location' && site.overhead !== 'sky';
  const one = (side: -1 | 1): string => {
    switch (inside ? 'custom' : site.drawn) {
      case 'textile_installation':
      case 'seamless_sweep': {
        const [a, b] = [at(side, 0.8), at(side, 1.15)];
        return drape(
          brush,
          [Math.min(a, b), Math.max(a, b)],
          [0, height],
          z,
          side < 0 ? colours.second : blend(colours.second, colours.accent, 0.3),
          { pool: true },
        );
      }
      case 'open_location': {
        const x = at(side, 0.9);
        const stem = [0, 0.3, 0.65, 1].map((t) =>
          on(brush, x + side * 0.06 * Math.sin(t * 4), t * height, z),
        );
        return (
          shadowOf(brush, [x, z], 0.14, 1.4) + trunk(brush, stem, (0.17 * camera.focal) / z, '#6e5a47', z)
        );
      }
      case 'courtyard_veranda':
      case 'street_path':
        return (
          shadowOf(brush, [at(side, 0.9), z], 0.2, 1.5) +
          drawColumn(brush, at(side, 0.9), z, height, blend(colours.wall, '#f1e9da', 0.4), 0.13)
        );
      case 'shallow_wall':
      case 'rear_plane_room':
      case 'custom': {
        const [a, b] = [at(side, 0.82), at(side, 1.3)];
        return (
          shadowOf(brush, [at(side, 1), z], 0.3, 1.2) +
          box(
            brush,
            { x: [Math.min(a, b), Math.max(a, b)], y: [0, height], z: [z, z + 0.35] },
            blend(colours.second, colours.wall, 0.35),
          )
        );
      }
    }
  };
  const grass =
    site.drawn === 'open_location' && site.ground === 'earth_grass'
      ? tufts(
          brush,
          { near: camera.near, far: z, colour: colours.leaf },
          brush.random.fork('sides'),
          30,
          0.16,
          [colours.leaf],
        )
      : '';
  return one(-1) + one(1) + grass;
}
