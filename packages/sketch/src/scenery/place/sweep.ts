import { blend, shade } from '../../drawing/colour.js';
import { polygon } from '../../drawing/curve.js';
import type { Point } from '../../drawing/geometry.js';
import { group } from '../../drawing/svg-sheet.js';
import { spot, litBy, on, pen, toned, UP, wash, weightAt, type Brush } from '../brush.js';
import { seen, topOf, upright } from '../camera.js';
import { drawGround } from '../ground/ground.js';
import { lathe, shadowOf } from '../solids.js';
import type { Place, Site } from './place.js';
import { behindCloth, inside, spotsOn } from './studio-space.js';

interface Bend {
  readonly z: number;
  readonly y: number;
  readonly lit: number;
}

/** The paper from the floor round its curve up the wall. */
function profileOf(brush: Brush, rear: number, radius: number, start: number, top: number): Bend[] {
  const floor = { z: start, y: 0, lit: litBy(brush, UP) };
  const arc = Array.from({ length: 9 }, (_, i): Bend => {
    const angle = (Math.PI / 2) * (i / 8);
    const normal = [0, Math.cos(angle), -Math.sin(angle)] as const;
    return {
      z: rear - radius + radius * Math.sin(angle),
      y: radius - radius * Math.cos(angle),
      lit: litBy(brush, normal) - 0.22 * Math.sin(angle * 2),
    };
  });
  return [floor, ...arc, { z: rear, y: top, lit: litBy(brush, [0, 0, -1]) + 0.1 }];
}

function paper(site: Site, profile: readonly Bend[], half: number): string {
  const { brush } = site;
  const { colours, camera } = brush;
  const edge = (side: number): Point[] => profile.map(({ z, y }) => on(brush, side * half, y, z));
  const [left, right] = [edge(-1), edge(1)];
  const heights = left.map((p) => p[1]);
  const [low, high] = [Math.max(...heights), Math.min(...heights)];
  const stops = profile
    .map(({ z, lit }, i): [number, string] => [
      ((heights[i] ?? 0) - high) / Math.max(1, low - high),
      toned(brush, colours.wall, lit, z),
    ])
    .sort((a, b) => a[0] - b[0])
    .map(([t, c]): [number, string] => [Math.round(t * 1000) / 1000, c]);
  const shape = polygon([...left, ...[...right].reverse()]);
  const random = brush.random.fork('paper');
  const stains = Array.from({ length: 12 }, () => {
    const centre: Point = [random.next() * camera.width, random.next() * camera.height * 0.85];
    const r = random.between(0.1, 0.26) * camera.height;
    const tone = random.chance(0.5)
      ? blend(colours.wall, colours.second, 0.3)
      : shade(colours.wall, random.wobble(9));
    const flat = random.between(0.5, 1);
    return spot(
      brush.sheet,
      centre,
      r * 1.2,
      r * flat * 1.2,
      toned(brush, tone, 0, 4),
      0.24,
      0.2,
      random.next() * 3,
    );
  });
  return (
    wash(brush, shape, brush.sheet.linear(0, Math.round(high), 0, Math.round(low), stops), { rim: 0 }) +
    group({ 'clip-path': brush.sheet.clip(shape) }, ...stains)
  );
}

/** The roll that the paper hangs from, on its two stands. */
function roll({ brush }: Site, z: number, half: number, y: number): string {
  const stand = (side: number): string =>
    shadowOf(brush, [side * (half + 0.13), z], 0.1, 0.6) +
    lathe(
      brush,
      [side * (half + 0.13), 0, z],
      [
        [0.028, 0],
        [0.02, 1.2],
        [0.016, y + 0.08],
      ],
      '#4a4744',
    ) +
    [-0.2, 0.2]
      .map((u) =>
        pen(
          brush,
          [
            on(brush, side * (half + 0.13), 0.36, z),
            on(brush, side * (half + 0.13) + u * 0.6, 0.14, z),
            on(brush, side * (half + 0.13) + u, 0, z),
          ],
          weightAt(z, 2.6),
          { colour: '#4a4744', opacity: 1 },
        ),
      )
      .join('');
  const tube = upright([-half - 0.16, half + 0.16], [y - 0.05, y + 0.06], z).map((p) => on(brush, ...p));
  return (
    stand(-1) +
    stand(1) +
    wash(brush, polygon(tube), toned(brush, shade(brush.colours.wall, -8), 0, z)) +
    pen(brush, tube, 1.6, { closed: true, corners: true })
  );
}

/**
 * A seamless sweep. In a studio it fills the picture. On a location it hangs from its roll in front of the
 * place. A studio set shows the roll, too.
 */
export function seamlessSweep(site: Site): Place {
  const { brush, spec, rear } = site;
  const { camera, colours } = brush;
  const [left, right] = seen(camera, rear);
  const framed = site.overhead !== 'studio' || site.hasFar || spec.register === 'studio_set';
  const half = framed ? Math.min(1.35, ((right - left) / 2) * 0.8) : Math.max(-left, right) * 3;
  const top = framed ? Math.min(2.55, topOf(camera, rear) * 0.93) : topOf(camera, rear) + 1;
  const paved = site.ground !== 'seamless';
  const start = paved ? rear - 0.5 : camera.near * 0.9;
  const profile = profileOf(brush, rear, paved ? 0.4 : 0.9, start, top);
  const behind = behindCloth(site, 1, 3.4, colours.second, [3.2, 3]);
  const under = site.overhead === 'sky' ? 60 : rear + 1;
  const ground =
    paved || framed
      ? drawGround(brush, paved ? site.ground : site.overhead === 'sky' ? 'earth_grass' : 'concrete', under)
      : '';
  const sheetOf = paper(site, profile, half);
  const rims = framed
    ? [-1, 1]
        .map((side) =>
          pen(
            brush,
            profile.map(({ z, y }) => on(brush, side * half, y, z)),
            1.6,
          ),
        )
        .join('') + roll(site, rear, half, top)
    : '';
  const shadow = framed && !paved ? shadowOf(brush, [0, rear], half, 0.4) : '';
  return {
    svg: behind + ground + shadow + sheetOf + rims,
    walls: spotsOn(site, rear, top, colours.wall, inside(brush, rear, half)),
    back: rear - 0.5,
  };
}
