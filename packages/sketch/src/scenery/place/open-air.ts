import { blend, shade } from '../../drawing/colour.js';
import { flow, polygon } from '../../drawing/curve.js';
import type { Point } from '../../drawing/geometry.js';
import { group, path } from '../../drawing/svg-sheet.js';
import { SEA_DEPTH } from '../anchor/distance.js';
import { blot, edges, FRONT, on, pen, plane, rule, toned, weightAt, type Brush } from '../brush.js';
import { seen, topOf, upright } from '../camera.js';
import { drawGround, groundColour } from '../ground/ground.js';
import { tufts } from '../ground/loose.js';
import { trunk } from '../anchor/foliage.js';
import type { Place, Site } from './place.js';
import { studioSpace } from './studio-space.js';

/** Bushes along the far end of the field. */
function treeLine(brush: Brush, colour: string): string {
  const { camera, colours } = brush;
  const random = brush.random.fork('treeline');
  return Array.from({ length: 30 }, (_, i) => {
    const x = (camera.width * (i + random.next())) / 29;
    const size = camera.height * random.between(0.01, 0.03);
    return path(blot(random, [x, camera.horizon + size * 0.1], size * 1.5, size, 0.25, 9), {
      fill: blend(shade(colour, random.wobble(9)), colours.haze, 0.42),
      'fill-opacity': 0.85,
    });
  }).join('');
}

const LUSH = new Set(['earth_grass', 'moss', 'stone_paving', 'gravel']);

/** The far end of the water in the distance, metres; undefined if there is none. */
function shore({ brush, spec }: Site): number | undefined {
  const { camera } = brush;
  return spec.anchors.some((anchor) => anchor.name === 'sea')
    ? (camera.eye * camera.focal) / (camera.height * SEA_DEPTH)
    : undefined;
}

/** Wet sand or mud along the water. */
function waterline({ brush, ground }: Site, z: number): string {
  const colour = groundColour(brush, ground);
  const [, y] = on(brush, 0, 0, z);
  const [, low] = on(brush, 0, 0, z * 0.72);
  const { width } = brush.camera;
  const edge = (at: number, depth: number): Point[] =>
    Array.from({ length: 9 }, (_, i) => [(width * i) / 8, at + Math.sin(i * 1.9) * depth * brush.unit]);
  const wet = `${flow([...edge(y - 2 * brush.unit, 3)])}L${width + 4} ${low}${flow(edge(low, 5).reverse()).replace('M', 'L')}Z`;
  return path(wet, { fill: shade(colour, -9), 'fill-opacity': 0.5 });
}

function field(site: Site): string {
  const { brush, ground } = site;
  const green = LUSH.has(ground);
  const water = shore(site);
  if (water !== undefined) return site.far + drawGround(brush, ground, water) + waterline(site, water);
  const woods = /\b(forest|woods|jungle|grove|orchard)\b/i.test(
    `${site.spec.surface} ${site.spec.topology.text}`,
  )
    ? forest(brush)
    : '';
  const rows = green
    ? Array.from({ length: 6 }, (_, i) => {
        const z = 9 + i * i * 2.2;
        const [, y] = on(brush, 0, 0, z);
        const line: Point[] = Array.from({ length: 7 }, (_, k) => [
          (brush.camera.width * k) / 6,
          y + Math.sin(k * 1.7 + i) * 3 * brush.unit,
        ]);
        return pen(brush, line, 1, { opacity: 0.16 });
      }).join('')
    : '';
  const blades = green
    ? tufts(
        brush,
        { near: brush.camera.near, far: 4, colour: groundColour(brush, ground) },
        brush.random.fork('front'),
        60,
        0.2,
        [brush.colours.leaf, shade(brush.colours.leaf, -10), blend(brush.colours.leaf, '#c2b060', 0.5)],
      )
    : '';
  return (
    site.far +
    drawGround(brush, ground, 90) +
    (green ? treeLine(brush, brush.colours.leaf) : '') +
    woods +
    rows +
    blades
  );
}

/** Trunks behind trunks, paler with distance, under one roof of leaves. */
function forest(brush: Brush): string {
  const { camera, colours } = brush;
  const random = brush.random.fork('forest');
  const rows = [16, 11, 8].map((z) => {
    const [left, right] = seen(camera, z);
    const scale = camera.focal / z;
    const many = Math.round((right - left) / (z * 0.11));
    const trees = Array.from({ length: many }, (_, i) => {
      const x = left + ((i + random.next()) * (right - left)) / many;
      // The middle stays open: a clearing, where the subject stands.
      if (Math.abs(x) < 0.16 * (right - left) && z < 12) return '';
      const lean = random.wobble(0.25);
      const stem = [0, 0.35, 0.7, 1].map((t) => on(brush, x + lean * t * t, t * 6, z));
      return trunk(brush, stem, scale * random.between(0.14, 0.26), '#6f5b48', z);
    });
    const leaves = Array.from({ length: many * 3 }, () => {
      const centre = on(brush, random.between(left, right), random.between(0.55, 1.1) * topOf(camera, z), z);
      const size = scale * random.between(0.4, 0.9);
      return path(blot(random, centre, size, size * 0.5, 0.3, 10), {
        fill: toned(brush, shade(colours.leaf, random.wobble(12) - 4), random.wobble(0.6), z),
        'fill-opacity': 0.75,
      });
    });
    const brushwood = Array.from({ length: many * 2 }, () => {
      const centre = on(brush, random.between(left, right), 0.12, z);
      const size = scale * random.between(0.25, 0.5);
      return path(blot(random, centre, size, size * 0.5, 0.3, 9), {
        fill: toned(brush, shade(colours.leaf, random.wobble(10) - 8), -0.2, z),
        'fill-opacity': 0.8,
      });
    });
    return trees.join('') + brushwood.join('') + leaves.join('');
  });
  return rows.join('');
}

/** A wall of glass towards the landscape. */
function glazed(site: Site): string {
  const { brush, rear } = site;
  const { camera, colours } = brush;
  const [left, right] = seen(camera, rear);
  const [, foot] = on(brush, 0, 0.1, rear);
  const pane = `M-4 -4H${camera.width + 4}V${foot}H-4Z`;
  const frame = blend('#4c4a47', colours.second, 0.2);
  const bars: string[] = [];
  for (let x = Math.ceil(left / 0.9) * 0.9 - 0.45; x < right; x += 0.9) {
    bars.push(
      rule(
        brush,
        on(brush, x, 0.1, rear),
        on(brush, x, topOf(camera, rear) + 0.3, rear),
        weightAt(rear, 4.5),
        { colour: toned(brush, frame, 0, rear), opacity: 1.2 },
      ),
    );
  }
  const rail = (y: number): string => {
    const corners = upright([left - 1, right + 1], [y, y + 0.07], rear);
    return plane(brush, corners, frame, FRONT) + edges(brush, corners, 1.2);
  };
  return (
    group({ 'clip-path': brush.sheet.clip(pane) }, site.far, treeLine(brush, colours.leaf)) +
    drawGround(brush, site.ground, rear) +
    bars.join('') +
    rail(0) +
    rail(2.05)
  );
}

/** The landscape as a painted cloth in a studio, with the floor of the set in front of it. */
function painted(site: Site): string {
  const { brush, rear } = site;
  const { camera, colours } = brush;
  const [left, right] = seen(camera, rear);
  const reach = (right - left) * 0.43;
  const middle = (left + right) / 2;
  const top = topOf(camera, rear) * 0.93;
  const cloth: Point[] = [
    on(brush, middle - reach, 0.04, rear),
    on(brush, middle - reach * 0.985, top, rear),
    on(brush, middle + reach * 0.985, top, rear),
    on(brush, middle + reach, 0.04, rear),
  ];
  const meadow = path(`M-4 ${camera.horizon}H${camera.width + 4}V${camera.height}H-4Z`, {
    fill: blend(groundColour(brush, site.ground), colours.haze, 0.35),
  });
  const batten = [
    on(brush, middle - reach - 0.1, top + 0.02, rear),
    on(brush, middle, top + 0.03, rear),
    on(brush, middle + reach + 0.1, top + 0.02, rear),
  ];
  return [
    studioSpace(brush),
    drawGround(brush, site.ground, rear + 0.4),
    group({ 'clip-path': brush.sheet.clip(polygon(cloth)) }, site.far, meadow, treeLine(brush, colours.leaf)),
    pen(brush, cloth, 1.8, { closed: true, corners: true }),
    pen(brush, batten, 5, { colour: colours.wood, opacity: 1.2 }),
  ].join('');
}

/** A landscape. Indoors it is seen through glass; in a studio it is a painted cloth. */
export function openLocation(site: Site): Place {
  const draw = { sky: field, ceiling: glazed, studio: painted }[site.overhead];
  return {
    svg: draw(site),
    walls: [],
    back: site.overhead === 'sky' ? site.rear + 0.4 : site.rear - 0.5,
  };
}
