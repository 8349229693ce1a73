import { blend, shade } from '../../drawing/colour.js';
import { element, group, path } from '../../drawing/svg-sheet.js';
import { litBy, on, toned, UP, type Brush, hairlines, rule, weightAt } from '../brush.js';
import { lying } from '../camera.js';
import type { SceneSpec } from '../scene-spec.js';
import { groundIn, type FineGround } from '../words/scene-words.js';
import { type GroundArea, span } from './area.js';
import { drawEarth, drawGravel, drawMoss, drawSand, drawSnow } from './loose.js';
import { drawPaving, drawTiles } from './paving.js';
import { drawCarpet, drawConcrete, drawMarble, drawStrokes, drawTerrazzo, drawWater } from './smooth.js';
import { polygon } from '../../drawing/curve.js';
import type { Point } from '../../drawing/geometry.js';

/** Boards that run away from the camera. Each has its own tone, joints and a little grain. */
function drawBoards(brush: Brush, { near, far, colour }: GroundArea): string {
  const random = brush.random.fork('boards');
  const breadth = random.between(0.13, 0.19);
  const end = Math.min(far, 14);
  const [left, right] = span(brush, end);
  const lit = litBy(brush, UP);
  const parts: string[] = [];
  const seams: [Point, Point][] = [];
  const grain: [Point, Point][] = [];
  for (let x = Math.floor(left / breadth) * breadth; x < right; x += breadth) {
    let z = near - random.between(0, 1.4);
    while (z < end) {
      const next = z + random.between(1.1, 2.4);
      const [z0, z1] = [Math.max(near, z), Math.min(end, next)];
      z = next;
      if (z1 <= z0) continue;
      const tone = shade(colour, random.wobble(7), 1 + random.wobble(0.12));
      const corners = lying([x, x + breadth], 0, [z0, z1]).map((corner) => on(brush, ...corner));
      parts.push(
        path(polygon(corners), { fill: toned(brush, tone, lit, (z0 + z1) / 2), 'fill-opacity': 0.85 }),
      );
      if (z1 < end && corners[2] && corners[3]) seams.push([corners[3], corners[2]]);
      for (let k = 0; k < 2; k++) {
        const [gx, g0] = [x + breadth * random.between(0.15, 0.85), random.between(z0, z1)];
        grain.push([
          on(brush, gx, 0, g0),
          on(brush, gx + random.wobble(0.01), 0, Math.min(z1, g0 + random.between(0.2, 0.7))),
        ]);
      }
    }
  }
  const lines: string[] = [];
  for (let x = Math.floor(left / breadth) * breadth; x < right; x += breadth) {
    lines.push(rule(brush, on(brush, x, 0, near), on(brush, x, 0, end), 1.2, { opacity: 0.5 }));
  }
  const dark = shade(colour, -30);
  return [
    ...parts,
    hairlines(brush, grain, 0.8, dark, 0.22),
    hairlines(brush, seams, weightAt(4, 1.3), dark, 0.55),
    ...lines,
  ].join('');
}

export type GroundKind = Exclude<SceneSpec['ground']['preset'], 'custom'> | FineGround;

/** The ground's material: the preset, or the material that the words of a custom ground name. */
export function groundKind(spec: SceneSpec): GroundKind {
  const { preset, text } = spec.ground;
  return preset === 'custom' ? (groundIn(text) ?? 'strokes') : preset;
}

/** The ground's colour: its material, tinted by the palette. */
export function groundColour(brush: Brush, kind: GroundKind): string {
  const { floor, second, wall, wood, stone, leaf, sky } = brush.colours;
  const colours: Readonly<Record<GroundKind, string>> = {
    seamless: wall,
    stone_paving: stone,
    plaster_tile: blend(floor, '#d9ccb6', 0.45),
    wood,
    earth_grass: blend(blend('#b39468', floor, 0.2), shade(leaf, 10), 0.5),
    sand: blend('#e2cda4', floor, 0.15),
    water: blend('#6f96a3', second, 0.25),
    snow: blend('#eef1f3', sky, 0.12),
    gravel: blend('#b5aa9b', floor, 0.25),
    concrete: blend('#a9a6a1', floor, 0.25),
    terrazzo: blend('#e6ddd0', floor, 0.25),
    marble: blend('#e6e2dc', floor, 0.15),
    carpet: second,
    moss: blend(leaf, '#5a5138', 0.35),
    strokes: floor,
  };
  return colours[kind];
}

const TEXTURES: Readonly<Record<GroundKind, (brush: Brush, area: GroundArea) => string>> = {
  seamless: () => '',
  stone_paving: drawPaving,
  plaster_tile: drawTiles,
  wood: drawBoards,
  earth_grass: drawEarth,
  sand: drawSand,
  water: drawWater,
  snow: drawSnow,
  gravel: drawGravel,
  concrete: drawConcrete,
  terrazzo: drawTerrazzo,
  marble: drawMarble,
  carpet: drawCarpet,
  moss: drawMoss,
  strokes: drawStrokes,
};

/** The floor from the picture's lower edge to `far`, with its texture in perspective. */
export function drawGround(brush: Brush, kind: GroundKind, far: number): string {
  const { camera, sheet } = brush;
  const colour = groundColour(brush, kind);
  const area: GroundArea = { near: camera.near * 0.96, far, colour };
  const [, top] = on(brush, 0, 0, far);
  const lit = litBy(brush, UP);
  const paint = sheet.linear(0, Math.round(top), 0, camera.height, [
    [0, toned(brush, blend(colour, brush.colours.paper, 0.1), lit, far)],
    [0.5, toned(brush, colour, lit, Math.min(far, 4))],
    [1, toned(brush, shade(colour, -5, 1.06), lit, 3)],
  ]);
  const floor = {
    x: -2,
    y: top.toFixed(1),
    width: camera.width + 4,
    height: Math.max(0, camera.height - top + 2).toFixed(1),
  };
  const clip = sheet.clip(`M${floor.x} ${floor.y}h${floor.width}v${floor.height}h-${floor.width}Z`);
  return (
    element('rect', { ...floor, fill: paint }) + group({ 'clip-path': clip }, TEXTURES[kind](brush, area))
  );
}
