import { blend } from '../drawing/colour.js';
import { ANCHORS } from './anchor/anchors.js';
import type { Spot } from './anchor/anchor.js';
import { beam, freestanding } from './anchor/structures.js';
import type { Brush } from './brush.js';
import { seen, SUBJECT_DISTANCE, topOf } from './camera.js';
import type { Place, Site, WallSpot } from './place/place.js';
import type { SceneAnchor } from './scene-spec.js';

interface Piece {
  readonly z: number;
  readonly svg: string;
}

const colourFor = (brush: Brush, index: number): string =>
  [brush.colours.accent, brush.colours.second, blend(brush.colours.accent, brush.colours.wall, 0.35)][
    index % 3
  ] ?? brush.colours.accent;

/** Places on the floor: first on one side, then on the other, then farther back and nearer to the middle. */
function floorSpot(site: Site, place: Place, index: number, breadth: number): Pick<Spot, 'x' | 'z' | 'side'> {
  const { camera, light } = site.brush;
  // Floor pieces start on the light's side, because wall pieces start on the other.
  const first = light.side;
  const side = index % 2 === 0 ? first : first === 1 ? -1 : 1;
  const depth = [0.55, 0.85, 0.2, 1][index % 4] ?? 0.5;
  const front = SUBJECT_DISTANCE + 0.75;
  const z = front + Math.max(0, place.back - front) * depth;
  const [left, right] = seen(camera, z);
  const edge = side < 0 ? left : right;
  // Wide pieces may run out of the picture, but not into the middle, where the subject stands.
  const share = Math.min(0.86, Math.max(0.6, 0.52 + breadth * 0.16));
  const clear = side * Math.min(Math.abs(edge) * 0.95, 0.34 + breadth * 0.3);
  const wished = edge * share + (index >= 2 ? -side * 0.25 : 0);
  return { x: Math.abs(wished) < Math.abs(clear) ? clear : wished, z, side };
}

function onWall(site: Site, anchor: SceneAnchor, spot: WallSpot, colour: string): Piece {
  const kind = ANCHORS[anchor.name];
  const side = spot.x < 0 ? -1 : 1;
  const here: Spot = { ...spot, side, colour, wallColour: spot.colour, outdoors: site.overhead === 'sky' };
  return { z: spot.z, svg: kind.draw(site.brush, here) };
}

/** In a place without walls, a wall piece gets its own piece of wall. */
function onOwnWall(site: Site, place: Place, anchor: SceneAnchor, index: number, colour: string): Piece {
  const kind = ANCHORS[anchor.name];
  const { x, z, side } = floorSpot(site, place, index, 1.1);
  const depth = z + 1.1;
  const width = Math.min(1.5, kind.width + 0.45);
  const wallColour = blend(site.brush.colours.wall, '#efe7d8', 0.25);
  const at = (x * depth) / z;
  const spot: Spot = { x: at, z: depth, width, height: 2.35, side, colour, wallColour, outdoors: true };
  return {
    z: depth,
    svg: freestanding(site.brush, at, depth, width, 2.45, wallColour) + kind.draw(site.brush, spot),
  };
}

/**
 * Puts every anchor in its place and draws the anchors from far to near. Distant anchors are already drawn,
 * with the sky.
 */
export function drawAnchors(site: Site, place: Place): string {
  const { brush, spec } = site;
  const pieces: Piece[] = [];
  let [walls, floor, overhead] = [0, 0, 0];
  spec.anchors.forEach((anchor, index) => {
    const kind = ANCHORS[anchor.name];
    const colour = colourFor(brush, index);
    const here = { colour, wallColour: brush.colours.wall, outdoors: site.overhead === 'sky' };
    switch (kind.belongs) {
      case 'far':
        return;
      case 'wall': {
        const spot = place.walls[walls % Math.max(1, place.walls.length)];
        walls++;
        pieces.push(
          spot ? onWall(site, anchor, spot, colour) : onOwnWall(site, place, anchor, floor++, colour),
        );
        return;
      }
      case 'floor':
      case 'ground': {
        const at = floorSpot(site, place, kind.belongs === 'floor' ? floor++ : 0, kind.width);
        const spot = { ...here, ...at, width: kind.width, height: site.height };
        pieces.push({ z: kind.belongs === 'ground' ? 99 : at.z, svg: kind.draw(brush, spot) });
        return;
      }
      case 'overhead': {
        const z = SUBJECT_DISTANCE + 1.2 + overhead;
        const x = (overhead++ % 2 ? -0.35 : 0.35) * (seen(brush.camera, z)[1] * 0.9);
        const hangs =
          site.overhead === 'ceiling'
            ? ''
            : beam(brush, z, topOf(brush.camera, z) - 0.12, brush.colours.wood);
        const spot: Spot = { ...here, x, z, width: 1, height: 2.6, side: 1 };
        pieces.push({ z, svg: hangs + kind.draw(brush, spot) });
      }
    }
  });
  return pieces
    .sort((a, b) => b.z - a.z)
    .map((piece) => piece.svg)
    .join('');
}
