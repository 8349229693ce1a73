import { blend } from '../drawing/colour.js';
import { clamp } from '../drawing/geometry.js';
import type { SeededRandom } from '../drawing/seeded-random.js';
import type { Vec3 } from './camera.js';
import type { LightPreset, SceneSpec } from './scene-spec.js';
import { hashWords } from './words/hash.js';
import { lightIn } from './words/scene-words.js';

/** The pattern that the light throws on the large planes. */
type Pattern = 'none' | 'window' | 'leaves' | 'roofs' | 'pool';

export interface Light {
  /** Towards the light; y up, z into the picture. */
  readonly direction: Vec3;
  /** −1 the light comes from the left, 1 from the right. */
  readonly side: -1 | 1;
  /** −1 cool … 1 warm. */
  readonly warmth: number;
  /** 0 flat … 1 hard. */
  readonly contrast: number;
  /** 1 as bright as the colours are. */
  readonly level: number;
  /** 0 a knife's edge … 1 no edge. */
  readonly softness: number;
  readonly pattern: Pattern;
  /** The colours towards which lit and shaded planes are tinted. */
  readonly lit: string;
  readonly shade: string;
}

type Character = Omit<Light, 'side' | 'lit' | 'shade'>;

/** The directions are for light from the left. */
const CHARACTERS: Readonly<Record<Exclude<LightPreset, 'custom'>, Character>> = {
  soft_frontal: {
    direction: [-0.15, 0.45, -0.88],
    warmth: 0.12,
    contrast: 0.3,
    level: 1.05,
    softness: 0.9,
    pattern: 'none',
  },
  soft_side_daylight: {
    direction: [-0.82, 0.42, -0.4],
    warmth: 0.05,
    contrast: 0.62,
    level: 1.02,
    softness: 0.55,
    pattern: 'window',
  },
  overcast: {
    direction: [-0.05, 0.95, -0.3],
    warmth: -0.5,
    contrast: 0.2,
    level: 0.97,
    softness: 1,
    pattern: 'none',
  },
  warm_directional_sun: {
    direction: [-0.66, 0.6, -0.45],
    warmth: 0.85,
    contrast: 1,
    level: 1.06,
    softness: 0.12,
    pattern: 'leaves',
  },
  quiet_low_key: {
    direction: [-0.6, 0.62, -0.5],
    warmth: 0.3,
    contrast: 0.85,
    level: 0.6,
    softness: 0.7,
    pattern: 'pool',
  },
};

const WARM = /\b(warm|golden|amber|sunset|sunrise|candle|tungsten|fire|orange|cozy|cosy)\b/i;
const COOL = /\b(cool|cold|blue|moon|icy|nordic|neon|winter|steel)\b/i;
const HARD = /\b(hard|crisp|harsh|strong|dramatic|graphic|contrast)\b/i;
const SOFT = /\b(soft|gentle|diffuse|hazy|misty|dreamy|calm|serene)\b/i;
const DARK = /\b(dark|dim|night|moody|low|shadowy|dusk)\b/i;
const BRIGHT = /\b(bright|high[- ]key|airy|radiant|luminous|fresh)\b/i;

/** The words of a custom light, or of a mood, change the light. Unknown words change its warmth a little. */
function moved(character: Character, words: string): Character {
  if (words === '') return character;
  const unknown = ![WARM, COOL, HARD, SOFT, DARK, BRIGHT].some((pattern) => pattern.test(words));
  const nudge = unknown ? ((hashWords(words) % 21) - 10) / 28 : 0;
  const step = (up: RegExp, down: RegExp, by: number): number =>
    (up.test(words) ? by : 0) - (down.test(words) ? by : 0);
  return {
    ...character,
    warmth: clamp(character.warmth + step(WARM, COOL, 0.45) + nudge, -1, 1),
    contrast: clamp(character.contrast + step(HARD, SOFT, 0.22) + nudge * 0.3, 0.1, 1),
    softness: clamp(character.softness - step(HARD, SOFT, 0.25), 0.08, 1),
    level: clamp(character.level + step(BRIGHT, DARK, 0.12), 0.5, 1.12),
  };
}

function patternOf(spec: SceneSpec, character: Character, words: string): Pattern {
  if (/\b(leaves|dappled|foliage|palm|tree)\b/i.test(words)) return 'leaves';
  if (/\b(window|blinds?|shutters?|panes?)\b/i.test(words)) return 'window';
  if (spec.setting === 'outdoor_location' && character.pattern === 'window') return 'none';
  // Under the open sky there is no wall on which the shadow of leaves could fall.
  if (spec.setting === 'outdoor_location' && spec.topology.preset === 'open_location') return 'none';
  if (character.pattern === 'leaves' && spec.topology.preset === 'street_path') return 'roofs';
  return spec.setting === 'indoor_location' && character.pattern === 'leaves' ? 'window' : character.pattern;
}

export function lightOf(spec: SceneSpec, random: SeededRandom): Light {
  const { preset, text } = spec.light;
  const words = `${text} ${spec.mood}`.trim();
  const known = preset === 'custom' ? (lightIn(words) ?? 'soft_side_daylight') : preset;
  const character = moved(CHARACTERS[known], words);
  const fromRight = /\bright\b/i.test(text) || (!/\bleft\b/i.test(text) && random.chance(0.35));
  const side = fromRight ? 1 : -1;
  const [x, y, z] = character.direction;
  const { warmth } = character;
  return {
    ...character,
    side,
    direction: [-side * x, y, /\bback(lit|light)?\b/i.test(text) ? 0.35 : z],
    pattern: patternOf(spec, character, words),
    lit: warmth > 0 ? blend('#fffaf0', '#ffd591', warmth) : blend('#fffaf0', '#dbe8f4', -warmth),
    shade: warmth > 0 ? blend('#5a5568', '#4b4a78', warmth) : blend('#5a5568', '#4d5c6e', -warmth),
  };
}
