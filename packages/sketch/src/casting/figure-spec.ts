import type { SeededRandom } from '../drawing/seeded-random.js';
import type { Ethnicity, HairTexture, Heritage } from './complexion.js';

export const BODY_TYPES = ['slim', 'athletic', 'balanced', 'fuller'] as const;
export type BodyType = (typeof BODY_TYPES)[number];

export const AGE_RANGES = ['18-22', '22-26', '26-30', '30-34', '34-40'] as const;
export type AgeRange = (typeof AGE_RANGES)[number];

export type Gender = 'FEMALE' | 'MALE';

export const HAIR_STYLES = [
  'long_loose',
  'bob',
  'bun',
  'ponytail',
  'cloud',
  'braids',
  'pixie',
  'crop',
  'side_part',
  'swept_back',
  'curly_top',
  'buzz',
] as const;
export type HairStyle = (typeof HAIR_STYLES)[number];

export const STANCES = ['relaxed', 'hand_on_hip', 'walking'] as const;
export type Stance = (typeof STANCES)[number];

/** Everything that a figure is drawn from. Breadths are factors around 1. */
export interface FigureSpec {
  readonly gender: Gender;
  readonly ethnicity: Ethnicity;
  readonly heritage?: Heritage;
  readonly bodyType: BodyType;
  readonly ageRange: AgeRange;
  readonly skin: string;
  readonly hair: { readonly colour: string; readonly texture: HairTexture; readonly style: HairStyle };
  readonly face: FaceSpec;
  readonly wear: BaseWear;
  /** −1 or 1: the side that carries the weight, and to which the head turns. */
  readonly lean: -1 | 1;
  readonly stance: Stance;
  /** Root of every other random choice in the drawing. */
  readonly random: SeededRandom;
}

export interface FaceSpec {
  readonly breadth: number;
  readonly jaw: number;
  readonly eyeColour: string;
  readonly eyeSize: number;
  /** Radians; positive lifts the outer corner. */
  readonly eyeTilt: number;
  readonly smoothLid: boolean;
  readonly browWeight: number;
  readonly browArch: number;
  readonly noseBreadth: number;
  readonly lipFullness: number;
  readonly mouthBreadth: number;
  /** −1…1, how far the corners of the mouth are raised. */
  readonly smile: number;
  readonly beard: 'none' | 'stubble' | 'short';
  /** 0 at 18, 1 at 40. */
  readonly maturity: number;
  /** Radians; positive turns toward the right of the picture. */
  readonly yaw: number;
  readonly tilt: number;
}

export interface BaseWear {
  readonly top: string;
  readonly bottom: string;
  readonly shoes: string;
  readonly neckline: 'scoop' | 'crew' | 'vee';
}
