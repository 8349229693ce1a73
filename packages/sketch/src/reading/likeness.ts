import { floor } from './arithmetic.js';
import type { EngineImage } from '@atelier/engine';
import { cast } from '../casting/cast.js';
import type { HairTexture } from '../casting/complexion.js';
import type { FigureSpec, Gender, HairStyle } from '../casting/figure-spec.js';
import { personFrom, type Person } from '../composition/person.js';
import { fromLab, toHex } from '../drawing/colour.js';
import type { Mask } from '../cutout/mask.js';
import type { LabColour } from './skin.js';
import type { Wearer } from './wearer.js';

/** What was measured of a person, beside the colours. Breadths are in breadths of the face. */
interface Build {
  readonly neck: number;
  readonly shoulders: number;
  readonly waist: number;
  /** Hair above and beside the skull, in breadths of the face. */
  readonly hairBreadth: number;
  readonly hairHeight: number;
  /** How far it hangs below the chin, in head units. */
  readonly hairLength: number;
}

/** In breadths of the face: what seems broader has a wall of its own colour beside it. */
const BROADEST_NECK = 0.82;

const hex = (colour: LabColour): string => toHex(fromLab(colour));

/** Breadth of the stretch of subject that holds the middle line. */
function breadthAt(mask: Mask, x: number, y: number): number {
  const row = Math.min(mask.height - 1, Math.max(0, Math.round(y))) * mask.width;
  let [from, to] = [Math.round(x), Math.round(x)];
  if (!mask.data[row + from]) return 0;
  while (from > 0 && mask.data[row + from - 1]) from--;
  while (to < mask.width - 1 && mask.data[row + to + 1]) to++;
  return to - from + 1;
}

/** Measures the build of a person. What the picture cuts off is 0. */
export function buildOf(subject: Mask, { head, hair, skin, hairLength }: Wearer): Build {
  const { x, chin, unit, breadth } = head;
  const withoutHair: Mask = { ...subject, data: subject.data.map((v, i) => (v && !hair.data[i] ? 1 : 0)) };
  const row = (v: number): number => chin + v * unit;
  const over = (mask: Mask, from: number, to: number): number[] =>
    Array.from({ length: 12 }, (_, k) => row(from + ((to - from) * k) / 11))
      .filter((y) => y < mask.height)
      .map((y) => breadthAt(mask, x, y) / breadth)
      .filter((b) => b > 0);
  const least = (values: number[]): number => (values.length > 0 ? Math.min(...values) : 0);
  const most = (values: number[]): number => (values.length > 0 ? Math.max(...values) : 0);
  // A bare neck is measured as such, for walls of its outline's colour stick to it; one in a collar from the outline.
  const bare = over(skin, 0.1, 0.4);
  const middle = (values: number[]): number => values.sort((p, q) => p - q)[values.length >> 1] ?? 0;
  const neck = bare.length > 3 ? middle(bare) : least(over(withoutHair, 0.1, 0.5));
  const aboveChin = {
    ...hair,
    data: hair.data.map((v, i) => (v && floor(i / hair.width) < chin ? 1 : 0)),
  };
  const columns = [...aboveChin.data.keys()].filter((i) => aboveChin.data[i]).map((i) => i % hair.width);
  return {
    neck: neck < BROADEST_NECK ? neck : 0,
    shoulders: most(over(subject, 0.5, 1.1)),
    waist: least(over(subject, 1.7, 2.6)),
    hairBreadth: columns.length > 0 ? (Math.max(...columns) - Math.min(...columns)) / breadth : 0,
    hairHeight: (head.y - breadth * 0.6 - head.crown) / breadth,
    hairLength,
  };
}

/**
 * A slender neck and long hair speak for one side, a broad neck for the other; without a neck to be seen, hair that lies
 * close does. A guess, and said to be one.
 */
export const genderOf = ({ neck, hairLength, hairBreadth }: Build): Gender => {
  const broad = neck > 0 ? (neck - 0.515) * 20 : hairBreadth < 1.25 ? 0.4 : -0.4;
  return broad - Math.min(1.5, hairLength * 2) > 0 ? 'MALE' : 'FEMALE';
};

function hairOf(build: Build, gender: Gender): { texture: HairTexture; style: HairStyle } {
  if (build.hairBreadth === 0) return { texture: 'coily', style: 'buzz' };
  if (build.hairBreadth > 1.5 && build.hairHeight > 0.7 && build.hairLength < 0.3)
    return { texture: 'coily', style: 'cloud' };
  if (build.hairLength > 0.75) return { texture: 'wavy', style: 'long_loose' };
  if (build.hairLength > 0.05 && gender === 'FEMALE') return { texture: 'straight', style: 'bob' };
  return { texture: 'straight', style: gender === 'FEMALE' ? 'pixie' : 'crop' };
}

interface Likeness {
  readonly person: Person;
  /** `known`: the photograph's own facts name the person; `measured`: read from the pixels. */
  readonly source: 'known' | 'measured';
  readonly measured: Readonly<Record<string, unknown>>;
}

/**
 * A person who can be drawn again and looks like the one in a photograph: skin, hair and build as measured. What
 * clothes hide, and origin and age, are not guessed at: the casting's most open choices stand for them.
 */
export async function likenessOf(
  input: EngineImage,
  subject: Mask,
  wearer: Wearer,
  seed: number,
): Promise<Likeness> {
  const build = buildOf(subject, wearer);
  const gender = genderOf(build);
  const hair = hairOf(build, gender);
  const measured = {
    skin_tone: hex(wearer.skinTone),
    ...(wearer.hairTone ? { hair_colour: hex(wearer.hairTone) } : {}),
    hair_style: hair.style,
    neck: round(build.neck),
    hair_breadth: round(build.hairBreadth),
    hair_height: round(build.hairHeight),
    hair_length: round(build.hairLength),
    shoulders: round(build.shoulders),
    waist: round(build.waist),
  };
  const facts = input.meta;
  const known = typeof facts?.['seed'] === 'number' || typeof facts?.['person'] === 'object';
  if (known) return { person: personFrom(input, {}, seed), source: 'known', measured };
  const drawn = cast(
    { gender, ethnicity: 'mixed_heritage', body_type: 'balanced', age_range: '26-30' },
    seed,
  );
  const spec: FigureSpec = {
    ...drawn,
    skin: hex(wearer.skinTone),
    hair: { ...hair, colour: wearer.hairTone ? hex(wearer.hairTone) : drawn.hair.colour },
    stance: 'relaxed',
  };
  return { person: { spec, seed }, source: 'measured', measured };
}

const round = (value: number): number => Math.round(value * 100) / 100;
