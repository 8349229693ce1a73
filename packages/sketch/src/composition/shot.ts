import { clamp } from '../drawing/geometry.js';
import { STANCES, type Stance } from '../casting/figure-spec.js';
import { factsIn, isFacts, type Facts } from '../facts.js';
import { temperatureTint, type Light } from './light.js';

export const FRAMINGS = ['full', 'three_quarter', 'half', 'detail'] as const;
export type ShotFraming = (typeof FRAMINGS)[number];

const CAMERA_HEIGHTS = ['low', 'waist', 'chest', 'eye', 'high'] as const;
export type CameraHeight = (typeof CAMERA_HEIGHTS)[number];

const ANGLES = ['front', 'slight_left', 'slight_right'] as const;
type Angle = (typeof ANGLES)[number];

/**
 * How a picture is taken: camera, pose and light. It comes from a preset's spec, or from an extraction that
 * measured a photograph.
 */
export interface ShotRecipe {
  readonly framing: ShotFraming;
  readonly cameraHeight: CameraHeight;
  /** Which way the subject turns from the camera. */
  readonly angle: Angle;
  /** If absent, the person stands in a pose of their own. */
  readonly pose?: Stance;
  readonly light: Light;
  /**
   * `offset` moves the subject sideways, as a share of the width. `headroom` changes the room over the head, as
   * a share of the height.
   */
  readonly crop: { readonly offset: number; readonly headroom: number };
}

/**
 * The words of a value. The value is either text, or an object that holds the text under one of several names.
 */
function words(value: unknown, ...names: readonly string[]): string {
  if (typeof value === 'string') return value.toLowerCase();
  const facts = factsIn(value);
  return names
    .map((name) => facts[name])
    .filter((one): one is string => typeof one === 'string')
    .join(' ')
    .toLowerCase();
}

function framingOf(spec: Facts): ShotFraming {
  const said = [words(spec['framing']), words(spec['crop'], 'framing', 'kind', 'name', 'preset')].join(' ');
  if (/detail|close/.test(said)) return 'detail';
  if (/three.?quarter|knee|american|cowboy/.test(said)) return 'three_quarter';
  if (/half|torso|waist|bust|upper|portrait|medium/.test(said)) return 'half';
  return 'full';
}

function cameraHeightOf(spec: Facts): CameraHeight {
  const camera = factsIn(spec['camera']);
  const height = spec['camera_height'] ?? camera['height'] ?? camera['camera_height'];
  // A measured height is a share of the subject's height, from the ground up.
  if (typeof height === 'number')
    return height < 0.3
      ? 'low'
      : height < 0.6
        ? 'waist'
        : height < 0.8
          ? 'chest'
          : height < 1.05
            ? 'eye'
            : 'high';
  const said = words(height);
  return CAMERA_HEIGHTS.find((one) => said.includes(one)) ?? 'chest';
}

function angleOf(spec: Facts): Angle {
  const camera = factsIn(spec['camera']);
  const angle = spec['angle'] ?? camera['angle'] ?? factsIn(spec['pose'])['facing'];
  // Degrees from frontal, positive toward the right of the picture.
  if (typeof angle === 'number') return angle > 6 ? 'slight_right' : angle < -6 ? 'slight_left' : 'front';
  const said = words(angle);
  return said.includes('left') ? 'slight_left' : said.includes('right') ? 'slight_right' : 'front';
}

function poseOf(spec: Facts): Stance | undefined {
  const said = words(spec['pose'], 'stance', 'name', 'preset', 'arms');
  if (/walk|stride|step/.test(said)) return 'walking';
  if (/hip|akimbo/.test(said)) return 'hand_on_hip';
  return STANCES.find((one) => said.includes(one)) ?? (said ? 'relaxed' : undefined);
}

const CONTRAST: Readonly<Record<string, number>> = {
  flat: 0.08,
  low: 0.2,
  soft: 0.25,
  medium: 0.45,
  high: 0.7,
  hard: 0.85,
};
const KELVIN: Readonly<Record<string, number>> = {
  warm: 4200,
  neutral: 5600,
  cool: 7200,
  cold: 7600,
  daylight: 5600,
};

/** The value of the first key of a table that occurs in the words, or the number itself. */
const measured = (value: unknown, table: Readonly<Record<string, number>>, otherwise: number): number => {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  const said = words(value);
  return Object.entries(table).find(([word]) => said.includes(word))?.[1] ?? otherwise;
};

function directionOf(value: unknown): readonly [number, number] {
  // Degrees clockwise on the page, 0 from above.
  if (typeof value === 'number') {
    const angle = (value * Math.PI) / 180;
    return [Math.sin(angle), -Math.cos(angle)];
  }
  const facts = factsIn(value);
  if (typeof facts['x'] === 'number' && typeof facts['y'] === 'number')
    return [clamp(facts['x'], -1, 1), clamp(facts['y'], -1, 1)];
  const said = words(value, 'name');
  const x = said.includes('left') ? -1 : said.includes('right') ? 1 : 0;
  const y = /upper|top|above|over/.test(said)
    ? -0.7
    : /below|under/.test(said)
      ? 0.7
      : x === 0
        ? -0.25
        : -0.15;
  const length = Math.max(1, Math.hypot(x, y));
  return [x / length, y / length];
}

function lightOf(spec: Facts): Light {
  const light = factsIn(spec['light']);
  const kelvin = measured(light['colour_temperature'] ?? light['color_temperature'], KELVIN, 5600);
  return {
    from: directionOf(light['direction']),
    contrast: clamp(measured(light['contrast'], CONTRAST, 0.3), 0, 1),
    tint: temperatureTint(clamp(kelvin, 2000, 12000)),
  };
}

/**
 * Reads a recipe from meta: a shot preset's spec, or a photograph's measurements. Their `light`, `crop`, `pose`
 * and `camera` may be words, numbers or objects. Missing and unknown values default to a plain full-length
 * shot.
 */
export function readShot(meta: Facts | undefined): ShotRecipe {
  const spec = isFacts(meta?.['recipe']) ? meta['recipe'] : (meta ?? {});
  const crop = factsIn(spec['crop']);
  const share = (name: string, limit: number): number => {
    const value = crop[name];
    return typeof value === 'number' && Number.isFinite(value) ? clamp(value, -limit, limit) : 0;
  };
  const pose = poseOf(spec);
  return {
    framing: framingOf(spec),
    cameraHeight: cameraHeightOf(spec),
    angle: angleOf(spec),
    ...(pose ? { pose } : {}),
    light: lightOf(spec),
    crop: { offset: share('offset', 0.25), headroom: share('headroom', 0.1) },
  };
}
