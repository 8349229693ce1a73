import { blend, shade } from '../../drawing/colour.js';
import { polygon } from '../../drawing/curve.js';
import { mixPoints, ring, type Point } from '../../drawing/geometry.js';
import type { SeededRandom } from '../../drawing/seeded-random.js';
import { group, path } from '../../drawing/svg-sheet.js';
import { hairlines, on, pen, rule, toned, wash, weightAt, type Brush } from '../brush.js';
import { perMetre, upright } from '../camera.js';
import { contour, darkView, daylightView, openWall, type Opening } from '../opening.js';
import { lathe } from '../solids.js';
import type { Anchor, Spot } from './anchor.js';

const rect = (brush: Brush, x: readonly [number, number], y: readonly [number, number], z: number): Point[] =>
  upright(x, y, z).map((corner) => on(brush, ...corner));

/** A flat frontal board on a wall. */
function panel(
  brush: Brush,
  x: readonly [number, number],
  y: readonly [number, number],
  z: number,
  colour: string,
  lit = 0,
  weight = 1.3,
): string {
  const corners = rect(brush, x, y, z);
  return (
    wash(brush, polygon(corners), toned(brush, colour, lit, z)) +
    corners
      .map((p, i) => rule(brush, p, corners[(i + 1) % 4] ?? p, weightAt(z, weight), { opacity: 0.8 }))
      .join('')
  );
}

/** A band around an opening: a frame of stone, plaster or wood. */
function surround(brush: Brush, opening: Opening, breadth: number, colour: string): string {
  const outer = contour(brush, {
    ...opening,
    width: opening.width + breadth * 2,
    height: opening.height + breadth,
  });
  return (
    path(polygon(outer), { fill: toned(brush, colour, 0.1, opening.z) }) +
    pen(brush, outer, weightAt(opening.z, 1.5), { closed: opening.y > 0.05, corners: true })
  );
}

const view = (brush: Brush, spot: Spot, opening: Opening): string =>
  spot.outdoors ? darkView(brush, opening) : daylightView(brush, opening);

const arch: Anchor = {
  belongs: 'wall',
  width: 1.15,
  draw(brush, spot) {
    const width = Math.min(1.15, spot.width * 0.8);
    const opening: Opening = {
      x: spot.x,
      y: 0,
      z: spot.z,
      width,
      height: Math.min(2.15, spot.height - 0.2),
      arched: true,
      depth: 0.4,
    };
    const inner = { ...opening, width: width * 0.74, height: opening.height * 0.86 };
    const passage = toned(
      brush,
      blend(shade(spot.wallColour, -11), brush.colours.second, 0.25),
      -0.2,
      spot.z,
    );
    // A second, smaller arch behind the first gives depth, so no corridor has to be drawn.
    const behind =
      path(polygon(contour(brush, opening)), { fill: passage }) +
      openWall(brush, { ...inner, depth: 0.2 }, spot.wallColour, view(brush, spot, inner));
    return openWall(brush, opening, spot.wallColour, behind);
  },
};

const door: Anchor = {
  belongs: 'wall',
  width: 1,
  draw(brush, spot) {
    const { x, z, colour } = spot;
    const random = brush.random.fork(`door${x.toFixed(2)}`);
    const arched = random.chance(0.45);
    const width = Math.min(0.98, spot.width * 0.7);
    const opening: Opening = { x, y: 0, z, width, height: 2.08, arched, depth: 0.1 };
    const half = width / 2;
    const boards = path(polygon(contour(brush, opening)), { fill: toned(brush, colour, -0.1, z) });
    const leafOf = (side: number): string => {
      const [a, b] = side < 0 ? [x - half + 0.06, x - 0.04] : [x + 0.04, x + half - 0.06];
      return (
        panel(brush, [a, b], [0.14, 0.85], z, shade(colour, 4), 0.1, 1) +
        panel(brush, [a, b], [0.97, arched ? 1.5 : 1.92], z, shade(colour, 4), 0.1, 1)
      );
    };
    const middle = rule(brush, on(brush, x, 0, z), on(brush, x, 2.08, z), weightAt(z, 1.6));
    const knob = lathe(
      brush,
      [x + 0.075, 0.9, z],
      [
        [0.01, 0],
        [0.028, 0.02],
        [0.028, 0.04],
        [0.01, 0.055],
      ],
      '#c9a65a',
    );
    const fan = arched
      ? hairlines(
          brush,
          [-0.6, -0.2, 0.2, 0.6].map((t): [Point, Point] => [
            on(brush, x, 1.59, z),
            on(brush, x + half * 0.8 * Math.sin(t * 1.6), 1.59 + half * 0.8 * Math.cos(t * 1.6), z),
          ]),
          1.3,
          shade(colour, -22),
          0.6,
        )
      : '';
    return (
      surround(brush, opening, 0.11, blend(spot.wallColour, '#f2ebdd', 0.5)) +
      openWall(brush, opening, spot.wallColour, boards + leafOf(-1) + leafOf(1) + middle + fan) +
      knob
    );
  },
};

const window: Anchor = {
  belongs: 'wall',
  width: 1.05,
  draw(brush, spot) {
    const { x, z, colour } = spot;
    const random = brush.random.fork(`window${x.toFixed(2)}`);
    const arched = random.chance(0.3);
    const width = Math.min(0.95, spot.width * 0.62);
    const opening: Opening = { x, y: 0.92, z, width, height: arched ? 1.45 : 1.3, arched, depth: 0.18 };
    const half = width / 2;
    const frameColour = spot.outdoors ? colour : blend('#f4efe5', spot.wallColour, 0.2);
    const bar = (a: Point, b: Point, weight: number): string =>
      pen(brush, [a, mixPoints(a, b, 0.5), b], (weight * (perMetre(brush.camera, z) / 180)) / brush.unit, {
        colour: toned(brush, frameColour, 0.2, z),
        opacity: 1 / Math.max(0.3, brush.pen),
      });
    const top = opening.y + opening.height;
    const bars = [
      bar(on(brush, x, opening.y, z), on(brush, x, top, z), 8),
      ...[0.36, 0.72].map((t) =>
        bar(
          on(brush, x - half, opening.y + opening.height * t, z),
          on(brush, x + half, opening.y + opening.height * t, z),
          6,
        ),
      ),
    ];
    const shine = spot.outdoors
      ? path(
          polygon([
            on(brush, x - half, opening.y + 0.5, z),
            on(brush, x - half, opening.y + 0.8, z),
            on(brush, x + half, top, z),
            on(brush, x + half, top - 0.3, z),
          ]),
          { fill: brush.colours.skyLow, 'fill-opacity': 0.22 },
        )
      : '';
    const sill = panel(
      brush,
      [x - half - 0.08, x + half + 0.08],
      [opening.y - 0.06, opening.y],
      z,
      blend(spot.wallColour, '#f2ebdd', 0.5),
      0.4,
    );
    const shutter = (side: number): string => {
      const [a, b] = side < 0 ? [x - half - 0.36, x - half - 0.03] : [x + half + 0.03, x + half + 0.36];
      const slats = Array.from({ length: 15 }, (_, i): [Point, Point] => {
        const y = opening.y + 0.1 + (i * (1.3 - 0.2)) / 14;
        return [on(brush, a + 0.05, y, z), on(brush, b - 0.05, y, z)];
      });
      return (
        panel(brush, [a, b], [opening.y, opening.y + 1.3], z, colour, 0.1) +
        hairlines(brush, slats, 1.2, shade(colour, -20), 0.55)
      );
    };
    const shutters = spot.outdoors && !arched ? shutter(-1) + shutter(1) : '';
    return (
      surround(brush, opening, 0.07, blend(spot.wallColour, '#f2ebdd', 0.45)) +
      openWall(brush, opening, spot.wallColour, view(brush, spot, opening) + shine + bars.join('')) +
      sill +
      shutters
    );
  },
};

const niche: Anchor = {
  belongs: 'wall',
  width: 0.7,
  draw(brush, spot) {
    const { x, z, wallColour } = spot;
    const opening: Opening = { x, y: 0.95, z, width: 0.52, height: 0.95, arched: true, depth: 0.24 };
    const [left] = on(brush, x - 0.26, 0, z);
    const [right] = on(brush, x + 0.26, 0, z);
    const [dark, bright] = [toned(brush, wallColour, -1, z), toned(brush, wallColour, -0.25, z)];
    const deep = brush.sheet.linear(Math.round(left), 0, Math.round(right), 0, [
      [0, brush.light.side < 0 ? dark : bright],
      [1, brush.light.side < 0 ? bright : dark],
    ]);
    const vase = lathe(
      brush,
      [x, 0.95, z],
      [
        [0.06, 0],
        [0.11, 0.1],
        [0.115, 0.18],
        [0.05, 0.32],
        [0.045, 0.38],
        [0.06, 0.4],
      ],
      spot.colour,
      { hollow: true },
    );
    return openWall(
      brush,
      opening,
      wallColour,
      path(polygon(contour(brush, opening)), { fill: deep }) + vase,
    );
  },
};

/** A frame on the wall with something in it. */
function framed(
  width: number,
  base: number,
  height: number,
  arched: boolean,
  inside: (brush: Brush, opening: Opening, spot: Spot) => string,
): Anchor {
  return {
    belongs: 'wall',
    width: width + 0.25,
    draw(brush, spot) {
      const opening: Opening = { x: spot.x, y: base, z: spot.z, width, height, arched, depth: 0.03 };
      const frame = contour(brush, { ...opening, y: base - 0.05, width: width + 0.1, height: height + 0.1 });
      const drop = frame.map(([px, py]): Point => [
        px - brush.light.side * 7 * brush.unit,
        py + 7 * brush.unit,
      ]);
      return [
        path(polygon(drop), {
          fill: toned(brush, shade(spot.wallColour, -18), -0.5, spot.z),
          'fill-opacity': 0.38 - 0.16 * brush.light.softness,
        }),
        path(polygon(frame), { fill: toned(brush, blend('#b08f55', spot.colour, 0.35), 0.2, spot.z) }),
        pen(brush, frame, weightAt(spot.z, 1.6), { closed: true, corners: true }),
        openWall(brush, opening, '#8c6f45', inside(brush, opening, spot)),
      ].join('');
    },
  };
}

const mirror = framed(0.72, 0.5, 1.4, true, (brush, opening, spot) => {
  const [, top] = on(brush, 0, opening.y + opening.height, opening.z);
  const [, low] = on(brush, 0, opening.y, opening.z);
  const glass = brush.sheet.linear(0, Math.round(top), Math.round((low - top) * 0.5), Math.round(low), [
    [0, blend(spot.wallColour, '#eef3f4', 0.7)],
    [0.55, blend(spot.wallColour, '#c9d4d6', 0.5)],
    [1, blend(brush.colours.floor, '#dfe5e6', 0.35)],
  ]);
  const streak = (from: number): string =>
    path(
      polygon([
        on(brush, opening.x - 0.4, opening.y + from, opening.z),
        on(brush, opening.x - 0.4, opening.y + from + 0.16, opening.z),
        on(brush, opening.x + 0.4, opening.y + from + 0.86, opening.z),
        on(brush, opening.x + 0.4, opening.y + from + 0.7, opening.z),
      ]),
      { fill: '#ffffff', 'fill-opacity': 0.28 },
    );
  return path(polygon(contour(brush, opening)), { fill: glass }) + streak(0.15) + streak(0.48);
});

const painting = framed(0.66, 1.15, 0.85, false, (brush, opening, spot) => {
  const { x, y, z, width, height } = opening;
  const { colours } = brush;
  const ground = path(polygon(contour(brush, opening)), {
    fill: blend(colours.paper, spot.wallColour, 0.15),
  });
  const hill = (t: number, colour: string): string =>
    path(
      `M${on(brush, x - width, y, z).join(' ')}L${on(brush, x - width / 2, y + height * t, z).join(' ')}Q${on(brush, x, y + height * (t + 0.25), z).join(' ')} ${on(brush, x + width, y + height * (t - 0.18), z).join(' ')}V${on(brush, x, y, z)[1]}Z`,
      { fill: colour },
    );
  const [sx, sy] = on(brush, x + width * 0.18, y + height * 0.72, z);
  const r = 0.085 * perMetre(brush.camera, z);
  return (
    ground +
    `<circle cx="${sx.toFixed(1)}" cy="${sy.toFixed(1)}" r="${r.toFixed(1)}" fill="${colours.accent}"/>` +
    hill(0.42, colours.second) +
    hill(0.24, shade(colours.accent, -6))
  );
});

/** A round face on the wall. */
const clock: Anchor = {
  belongs: 'wall',
  width: 0.6,
  draw(brush, spot) {
    const [cx, cy] = on(brush, spot.x, 1.75, spot.z);
    const r = 0.22 * perMetre(brush.camera, spot.z);
    const ticks = Array.from({ length: 12 }, (_, i): [Point, Point] => {
      const [c, s] = [Math.cos((i / 12) * 6.283), Math.sin((i / 12) * 6.283)];
      return [
        [cx + r * 0.8 * c, cy + r * 0.8 * s],
        [cx + r * 0.9 * c, cy + r * 0.9 * s],
      ];
    });
    return [
      `<circle cx="${cx.toFixed(1)}" cy="${cy.toFixed(1)}" r="${(r * 1.08).toFixed(1)}" fill="${toned(brush, spot.colour, 0, spot.z)}"/>`,
      `<circle cx="${cx.toFixed(1)}" cy="${cy.toFixed(1)}" r="${(r * 0.93).toFixed(1)}" fill="#f5efe2"/>`,
      hairlines(brush, ticks, 1.4, brush.colours.line, 0.8),
      pen(brush, ring([cx, cy], r, 12), weightAt(spot.z, 1.6)),
      pen(
        brush,
        [
          [cx, cy],
          [cx + r * 0.25, cy - r * 0.2],
          [cx + r * 0.5, cy - r * 0.38],
        ],
        2.2,
      ),
      pen(
        brush,
        [
          [cx, cy],
          [cx - r * 0.1, cy - r * 0.35],
          [cx - r * 0.16, cy - r * 0.7],
        ],
        1.6,
      ),
    ].join('');
  },
};

const lattice: Anchor = {
  belongs: 'wall',
  width: 1.1,
  draw(brush, spot) {
    const { x, z, wallColour } = spot;
    const width = Math.min(1, spot.width * 0.75);
    const opening: Opening = { x, y: 0.4, z, width, height: 1.75, arched: true, depth: 0.05 };
    const bars: [Point, Point][] = [];
    for (let i = -12; i < 30; i++) {
      const s = i * 0.115;
      bars.push([on(brush, x - 0.6, 0.3 + s, z), on(brush, x + 0.6, 1.5 + s, z)]);
      bars.push([on(brush, x - 0.6, 1.5 + s, z), on(brush, x + 0.6, 0.3 + s, z)]);
    }
    const scale = perMetre(brush.camera, z) / brush.unit;
    const colour = toned(brush, blend(spot.colour, wallColour, 0.35), 0.25, z);
    const screen = group(
      {},
      hairlines(brush, bars, scale * 0.03, toned(brush, shade(spot.colour, -22), -0.5, z), 1),
      hairlines(
        brush,
        bars.map(([a, b]): [Point, Point] => [
          [a[0], a[1] - 1.2 * brush.unit],
          [b[0], b[1] - 1.2 * brush.unit],
        ]),
        scale * 0.021,
        colour,
        1,
      ),
    );
    return (
      surround(brush, opening, 0.07, blend(spot.colour, wallColour, 0.3)) +
      openWall(brush, opening, wallColour, view(brush, spot, opening) + screen)
    );
  },
};

const fireplace: Anchor = {
  belongs: 'wall',
  width: 1.4,
  draw(brush, { x, z, wallColour, colour }) {
    const stone = blend(wallColour, '#efe8db', 0.55);
    const opening: Opening = { x, y: 0, z, width: 0.72, height: 0.78, arched: false, depth: 0.12 };
    const dark = path(polygon(contour(brush, opening)), { fill: '#3b302b' });
    const glow = path(
      polygon([
        on(brush, x - 0.22, 0.06, z),
        on(brush, x - 0.06, 0.4, z),
        on(brush, x + 0.02, 0.2, z),
        on(brush, x + 0.1, 0.46, z),
        on(brush, x + 0.24, 0.06, z),
      ]),
      { fill: '#e58f3c', 'fill-opacity': 0.9 },
    );
    return [
      panel(brush, [x - 0.62, x + 0.62], [0, 1.08], z, stone, 0.1, 1.6),
      openWall(brush, opening, stone, dark + glow),
      panel(brush, [x - 0.72, x + 0.72], [1.06, 1.16], z, shade(stone, 4), 0.4, 1.6),
      lathe(
        brush,
        [x - 0.42, 1.16, z],
        [
          [0.05, 0],
          [0.09, 0.12],
          [0.04, 0.28],
          [0.05, 0.3],
        ],
        colour,
      ),
    ].join('');
  },
};

/** One board of a bookcase: books that stand or lean, and a vase where there is room. */
function books(
  brush: Brush,
  [from, to]: readonly [number, number],
  y: number,
  { z, colour }: Spot,
  random: SeededRandom,
): string {
  const { second, accent, wall } = brush.colours;
  const covers = [colour, second, accent, wall, '#efe6d3', '#5d5148', shade(second, -16)];
  const parts: string[] = [];
  for (let u = from; u < to - 0.06;) {
    if (random.chance(0.07)) {
      const bowl: Point[] = [
        [0.04, 0],
        [0.065, 0.07],
        [0.03, 0.18],
        [0.04, 0.2],
      ];
      parts.push(lathe(brush, [u + 0.08, y, z], bowl, colour));
      u += 0.18;
      continue;
    }
    const [breadth, height] = [random.between(0.028, 0.06), random.between(0.17, 0.29)];
    const cover = toned(brush, shade(random.pick(covers), random.wobble(9)), 0, z);
    const corners = rect(brush, [u, u + breadth], [y, y + height], z);
    parts.push(
      path(polygon(corners), {
        fill: cover,
        stroke: brush.colours.line,
        'stroke-width': 0.7 * brush.unit,
        'stroke-opacity': 0.5,
      }),
    );
    u += breadth + 0.004;
  }
  return parts.join('');
}

/** A bookcase from the floor to above the head, as broad as the wall allows. */
const shelf: Anchor = {
  belongs: 'wall',
  width: 1.4,
  draw(brush, spot) {
    const random = brush.random.fork(`shelf${spot.x.toFixed(2)}`);
    const { x, z, width } = spot;
    const { wood } = brush.colours;
    const half = Math.min(1.1, width * 0.42);
    const top = Math.min(2.3, spot.height - 0.1);
    const boards = Array.from({ length: 6 }, (_, i) => 0.1 + (i * (top - 0.1)) / 6);
    return [
      panel(brush, [x - half, x + half], [0, top], z, shade(wood, -24), -0.4),
      ...boards.map((y) => books(brush, [x - half + 0.05, x + half - 0.04], y, spot, random)),
      ...[...boards, top].map((y) => panel(brush, [x - half, x + half], [y - 0.035, y], z, wood, 0.3, 1)),
      panel(brush, [x - half - 0.03, x - half + 0.03], [0, top + 0.02], z, wood, 0.2, 1.1),
      panel(brush, [x + half - 0.03, x + half + 0.03], [0, top + 0.02], z, wood, -0.2, 1.1),
    ].join('');
  },
};

export const OPENINGS = { arch, door, window, niche, mirror, painting, clock, lattice, fireplace, shelf };
