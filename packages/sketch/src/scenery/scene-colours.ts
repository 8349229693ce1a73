import { blend, lightness, shade } from '../drawing/colour.js';
import { clamp } from '../drawing/geometry.js';
import type { Light } from './light.js';
import type { SceneSpec } from './scene-spec.js';

/** The colours that one place is painted with, before light falls on them. */
export interface SceneColours {
  /** The large planes. */
  readonly wall: string;
  /** The planes beside them: side walls, textiles, the sweep's surroundings. */
  readonly second: string;
  /** Doors, cushions, flowers. */
  readonly accent: string;
  readonly floor: string;
  readonly line: string;
  readonly sky: string;
  readonly skyLow: string;
  /** The colour to which distance fades. */
  readonly haze: string;
  readonly wood: string;
  readonly leaf: string;
  readonly stone: string;
  readonly paper: string;
}

function skies(light: Light, wall: string): readonly [sky: string, low: string] {
  if (light.level < 0.8) return [blend('#2e3552', wall, 0.12), blend('#8c7a86', wall, 0.25)];
  if (light.warmth > 0.5) return [blend('#86b2cf', wall, 0.06), blend('#f7dfb9', wall, 0.16)];
  if (light.warmth < -0.2) return [blend('#b3bfc6', wall, 0.1), blend('#dfe2e0', wall, 0.14)];
  return [blend('#9cc3d8', wall, 0.08), blend('#eaf0ec', wall, 0.14)];
}

/** @param outdoors whether distance fades to the colour of the sky, or to that of the wall */
export function coloursOf(spec: SceneSpec, light: Light, outdoors: boolean): SceneColours {
  const paper = '#f6f1e7';
  const wall = spec.palette[0] ?? '#d9cdb8';
  const second = spec.palette[1] ?? shade(blend(wall, '#8f8a7d', 0.3), lightness(wall) > 55 ? -12 : 16, 0.9);
  const accent = spec.palette[2] ?? shade(spec.palette[1] ?? wall, lightness(wall) > 50 ? -30 : 26, 1.25);
  const [sky, skyLow] = skies(light, wall);
  const floorTone = blend(second, wall, 0.4);
  return {
    wall,
    second,
    accent,
    floor: shade(blend(floorTone, '#a39584', 0.3), clamp(60 - lightness(floorTone), -10, 10)),
    line: blend('#33261f', shade(wall, -48), 0.22),
    sky,
    skyLow,
    haze: outdoors ? blend(skyLow, sky, 0.35) : blend(wall, light.lit, 0.4),
    wood: blend('#a87b50', second, 0.24),
    leaf: blend('#66804f', blend(wall, second, 0.5), 0.16),
    stone: blend('#b8ad9d', second, 0.3),
    paper,
  };
}
