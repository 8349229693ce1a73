import { blend, shade } from '../drawing/colour.js';
import { element } from '../drawing/svg-sheet.js';
import { rasterise, type Raster } from '../drawing/rasterise.js';
import type { SeededRandom } from '../drawing/seeded-random.js';
import { SvgSheet } from '../drawing/svg-sheet.js';
import { ANCHORS } from './anchor/anchors.js';
import { drawAnchors } from './arrange.js';
import { drawAtmosphere } from './atmosphere.js';
import type { Brush } from './brush.js';
import { aim, FRAMINGS, seen, topOf, type Framing } from './camera.js';
import { finish, PEN } from './finish.js';
import { groundKind } from './ground/ground.js';
import { lightOf } from './light.js';
import { courtyardVeranda } from './place/courtyard.js';
import { openLocation } from './place/open-air.js';
import type { Place, Site } from './place/place.js';
import { rearPlaneRoom, shallowWall } from './place/rooms.js';
import { plainShapes } from './place/shapes.js';
import { streetPath } from './place/street.js';
import { seamlessSweep } from './place/sweep.js';
import { textileInstallation } from './place/textiles.js';
import { coloursOf } from './scene-colours.js';
import type { SceneSpec, Topology } from './scene-spec.js';
import { drawRidge, drawSky } from './sky.js';
import { anchorsIn } from './words/anchor-words.js';
import { topologyIn } from './words/scene-words.js';
import { REAR, subjectAt, zoneFloor, zoneSides } from './zone.js';

const PLACES: Readonly<Record<Topology, (site: Site) => Place>> = {
  seamless_sweep: seamlessSweep,
  shallow_wall: shallowWall,
  rear_plane_room: rearPlaneRoom,
  courtyard_veranda: courtyardVeranda,
  street_path: streetPath,
  textile_installation: textileInstallation,
  open_location: openLocation,
  custom: plainShapes,
};

const OVERHEAD = { studio_set: 'studio', indoor_location: 'ceiling', outdoor_location: 'sky' } as const;

/** The topology that is drawn. The words of a custom topology may name one of the presets. */
const drawnTopology = (spec: SceneSpec): Topology =>
  spec.topology.preset === 'custom' ? (topologyIn(spec.topology.text) ?? 'custom') : spec.topology.preset;

/** Whether the place is in the open air, without a wall near the subject. */
export const isOpen = (spec: SceneSpec): boolean =>
  spec.setting === 'outdoor_location' && ['open_location', 'street_path'].includes(drawnTopology(spec));

/** If the words of a custom choice name a piece of the library, the scene includes it. */
function withMentioned(spec: SceneSpec): SceneSpec {
  const known = new Set(spec.anchors.map((anchor) => anchor.name));
  const said = [spec.topology, spec.zone].flatMap(({ preset, text }) =>
    preset === 'custom' ? anchorsIn(text) : [],
  );
  const more = [...new Set(said)]
    .filter((name) => !known.has(name))
    .slice(0, Math.max(0, 5 - spec.anchors.length));
  return { ...spec, anchors: [...spec.anchors, ...more.map((name) => ({ words: name, name }))] };
}

/** The sky, the hills and the distant anchors, over the whole sheet. */
function drawFar(brush: Brush, spec: SceneSpec): string {
  const { camera, colours } = brush;
  const far = spec.anchors.filter((anchor) => ANCHORS[anchor.name].belongs === 'far');
  const order = ['sun', 'cloud', 'mountain', 'dune', 'skyline', 'sea', 'boat'];
  const names = new Set(far.map((anchor) => anchor.name));
  const base = element('rect', {
    y: camera.horizon,
    width: camera.width,
    height: camera.height,
    fill: blend(colours.leaf, colours.haze, 0.5),
  });
  const hills = (['mountain', 'sea', 'dune', 'skyline'] as const).some((name) => names.has(name))
    ? ''
    : drawRidge(brush, 0.07, blend(shade(colours.leaf, 6), colours.haze, 0.66), 0.1, 'a') +
      drawRidge(brush, 0.036, blend(colours.leaf, colours.haze, 0.42), 0.12, 'b');
  const pieces = far
    .map((anchor, index) => ({ anchor, index }))
    .sort((a, b) => order.indexOf(a.anchor.name) - order.indexOf(b.anchor.name))
    .map(({ anchor, index }) =>
      ANCHORS[anchor.name].draw(brush, {
        x: 0,
        z: 90,
        width: 0,
        height: 0,
        side: (index % 2 ? -1 : 1) * brush.light.side === 1 ? -1 : 1,
        colour: colours.accent,
        wallColour: colours.wall,
        outdoors: true,
      }),
    );
  return base + drawSky(brush) + hills + pieces.join('');
}

function siteOf(brush: Brush, spec: SceneSpec): Site {
  const rear = REAR[spec.zone.preset];
  const [left, right] = seen(brush.camera, rear);
  return {
    brush,
    spec,
    drawn: drawnTopology(spec),
    rear,
    half: Math.max(1.05, Math.min(3.6, ((right - left) / 2) * 0.8)),
    height: Math.min(2.75, topOf(brush.camera, rear) * 0.95),
    ground: groundKind(spec),
    overhead: OVERHEAD[spec.setting],
    far: drawFar(brush, spec),
    hasFar: spec.anchors.some((anchor) => ANCHORS[anchor.name].belongs === 'far'),
  };
}

export interface SceneView {
  readonly width: number;
  readonly height: number;
  /** The subject's place and height. The default is that of the widest supported crop. */
  readonly framing?: Framing;
}

export interface DrawnScene {
  readonly raster: Raster;
  /**
   * The place of the soles, as a share of the picture's height. It is below 1 only if the feet are in the
   * picture.
   */
  readonly floorLine: number;
  /** Height of a standing person as a share of the picture's height. */
  readonly subjectHeight: number;
  /** Where the subject stands, as a share of the width. */
  readonly subjectX: number;
  /** Names of the pieces that were drawn, in the order of the spec. */
  readonly drawn: readonly string[];
  readonly brush: Brush;
}

/** The drawing of the scene as SVG, and the brush that drew it. `drawScene` turns it into a picture. */
function sketch(
  given: SceneSpec,
  view: SceneView,
  random: SeededRandom,
): { svg: string; brush: Brush; spec: SceneSpec; framing: Framing } {
  const spec = withMentioned(given);
  const framing = view.framing ?? FRAMINGS[spec.crops[0] ?? 'full'];
  const light = lightOf(spec, random.fork('light'));
  const lean = random.fork('camera').wobble(0.07);
  const sheet = new SvgSheet();
  const brush: Brush = {
    sheet,
    random: random.fork('brush'),
    camera: aim(view.width, view.height, framing, lean),
    light,
    colours: coloursOf(spec, light, spec.setting === 'outdoor_location'),
    unit: Math.max(view.width, view.height) / 1024,
    pen: PEN[spec.register],
    fading: spec.setting === 'outdoor_location' ? 0.017 : 0.022,
  };
  const site = siteOf(brush, spec);
  const place = PLACES[site.drawn](site);
  // Parts of the sheet that a place leaves open are wall.
  const base = element('rect', { width: view.width, height: view.height, fill: brush.colours.wall });
  const body = base + place.svg + zoneFloor(site) + drawAnchors(site, place) + zoneSides(site);
  return { svg: sheet.document(view.width, view.height, body), brush, spec, framing };
}

/** The drawing without light and paper, for previews. */
export const drawSketch = (spec: SceneSpec, view: SceneView, random: SeededRandom): Promise<Raster> =>
  rasterise(sketch(spec, view, random).svg);

/**
 * Draws a scene at any size, with the spec's floor, light and palette, and with room for a standing subject on
 * the floor line.
 * @param random the seed's stream; the same spec, size and seed give the same bytes
 */
export async function drawScene(spec: SceneSpec, view: SceneView, random: SeededRandom): Promise<DrawnScene> {
  const { svg, brush, spec: full, framing } = sketch(spec, view, random);
  const at = subjectAt(full);
  const drawn = await rasterise(svg);
  const gains = await drawAtmosphere(brush, full, at);
  return {
    raster: finish(drawn, gains, full.register, brush.unit),
    floorLine: framing.floorLine,
    subjectHeight: framing.subject,
    subjectX: at,
    drawn: full.anchors.map((anchor) => anchor.name),
    brush,
  };
}
