import sharp from 'sharp';
import type { EnginePicture } from '@atelier/engine';
import { rasterise, rasterOf } from '../drawing/rasterise.js';
import { element, path, SvgSheet } from '../drawing/svg-sheet.js';
import { encode } from '../encode.js';
import { compose, type Layer } from '../scene.js';
import { writeFigures } from './figures.js';
import type { Group } from './grouping.js';
import { INK, line, PAPER } from './recipe-pen.js';

const TILE = { width: 190, height: 238 };
const GAP = 44;
const MARGIN = 46;
const COLUMNS = 5;
/** People who cannot distinguish red from green can still distinguish these. */
const COLOURS = ['#c8553d', '#2f6f9f', '#d9a036', '#5b8c5a', '#8a5a9e'];

export interface Grouping {
  readonly person_groups: readonly Group[];
  readonly location_groups: readonly Group[];
  /** False if the caller's own grouping is used. */
  readonly automatic: boolean;
}

interface Place {
  readonly x: number;
  readonly y: number;
}

/** The upper left corner of a tile. */
const placeOf = (index: number): Place => ({
  x: MARGIN + (index % COLUMNS) * (TILE.width + GAP),
  y: MARGIN + Math.floor(index / COLUMNS) * (TILE.height + GAP + 12),
});

const stroke = (d: string, colour: string, width: number): string => line(d, width, { stroke: colour });

/**
 * A person's bracket lies over the tile and has a head. A place's bracket lies under the tile and has a
 * horizon.
 */
function bracket({ x, y }: Place, axis: 'person' | 'location', colour: string): string {
  const [left, right] = [x - 9, x + TILE.width + 9];
  if (axis === 'person') {
    const top = y - 14;
    const sign =
      element('circle', { cx: left + 22, cy: top - 17, r: 6.5, fill: colour }) +
      stroke(`M${left + 10} ${top - 1}a12 9 0 0 1 24 0`, colour, 5);
    return stroke(`M${left} ${y + 44}V${top}H${right}V${y + 44}`, colour, 5) + sign;
  }
  const base = y + TILE.height + 14;
  const sign = path(`M${right - 40} ${base - 1}l13 -17 8 9 5 -6 11 14Z`, { fill: colour });
  return (
    stroke(`M${left} ${y + TILE.height - 44}V${base}H${right}V${y + TILE.height - 44}`, colour, 5) + sign
  );
}

async function tile(bytes: Buffer, { x, y }: Place): Promise<Layer> {
  const photo = sharp(bytes)
    .rotate()
    .flatten({ background: '#ffffff' })
    .resize(TILE.width, TILE.height, { fit: 'contain', background: '#e9e3d8' });
  return { ...(await rasterOf(photo.ensureAlpha())), left: x, top: y };
}

/** A photograph that could not be read. */
const brokenTile = ({ x, y }: Place): string =>
  element('rect', { x, y, width: TILE.width, height: TILE.height, fill: '#ddd5c8' }) +
  stroke(
    `M${x + 60} ${y + 80}L${x + 130} ${y + 158}M${x + 130} ${y + 80}L${x + 60} ${y + 158}`,
    '#a49a8c',
    7,
  );

/**
 * All photographs of a batch on one sheet, with one colour for each group. They are numbered from 0, as in the
 * grouping.
 * @param photos undefined for a photograph that could not be read
 */
export async function contactSheet(
  photos: readonly (Buffer | undefined)[],
  grouping: Grouping,
  testMark: boolean,
): Promise<EnginePicture> {
  const columns = Math.min(COLUMNS, photos.length);
  const rows = Math.ceil(photos.length / COLUMNS);
  const width = 2 * MARGIN + columns * (TILE.width + GAP) - GAP;
  const height = 2 * MARGIN + rows * (TILE.height + GAP + 12) - GAP;
  const sheet = new SvgSheet();
  const broken = photos.map((photo, index) => (photo ? '' : brokenTile(placeOf(index)))).join('');
  const paper = await rasterise(
    sheet.document(width, height, element('rect', { width, height, fill: PAPER }), broken),
  );
  const tiles = [];
  for (const [index, photo] of photos.entries()) if (photo) tiles.push(await tile(photo, placeOf(index)));
  const marks = (groups: readonly Group[], axis: 'person' | 'location'): string =>
    groups
      .map(({ member_indices: members }, k) => {
        const colour = COLOURS[(k + (axis === 'location' ? 2 : 0)) % COLOURS.length] ?? INK;
        return members.map((index) => bracket(placeOf(index), axis, colour)).join('');
      })
      .join('');
  const numbers = photos
    .map((_, index) => {
      const { x, y } = placeOf(index);
      const plate = element('rect', {
        x: x + 8,
        y: y + TILE.height - 32,
        width: 26,
        height: 24,
        rx: 5,
        fill: PAPER,
        'fill-opacity': 0.88,
      });
      return plate + writeFigures(String(index), x + 15, y + TILE.height - 27, 14, INK);
    })
    .join('');
  const brackets = marks(grouping.person_groups, 'person') + marks(grouping.location_groups, 'location');
  const drawn = await rasterise(new SvgSheet().document(width, height, brackets, numbers));
  const picture = await compose([paper, ...tiles, drawn], testMark);
  return encode(picture, {
    kind: 'grouping',
    label: 'How the photographs belong together',
    meta: { ...grouping },
  });
}
