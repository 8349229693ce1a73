import { EngineError, personFactsIn, type EngineImage, type PictureMeta } from '@atelier/engine';
import { cast, castingIn, type Casting } from '../casting/cast.js';
import { HAIR_TEXTURES } from '../casting/complexion.js';
import { HAIR_STYLES, type FigureSpec } from '../casting/figure-spec.js';
import { factsIn, type Facts } from '../facts.js';

/** A person who can be drawn again, because the seed is the person's own and not the request's. */
export interface Person {
  readonly spec: FigureSpec;
  readonly seed: number;
}

const hex = (value: unknown): string | undefined =>
  typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value) ? value.toLowerCase() : undefined;

/** Known facts about skin, hair and eyes win over the casting's choice. */
function withColours(spec: FigureSpec, facts: Facts): FigureSpec {
  const hair = factsIn(facts['hair']);
  const texture = HAIR_TEXTURES.find((one) => one === hair['texture']);
  const style = HAIR_STYLES.find((one) => one === hair['style']);
  const eyeColour = hex(facts['eye_colour']);
  return {
    ...spec,
    skin: hex(facts['skin_tone']) ?? spec.skin,
    hair: {
      colour: hex(hair['colour']) ?? spec.hair.colour,
      texture: texture ?? spec.hair.texture,
      style: style ?? spec.hair.style,
    },
    face: { ...spec.face, ...(eyeColour ? { eyeColour } : {}) },
  };
}

/** The person whose casting facts a picture's meta holds. @param seed for facts without a seed of their own */
export function knownPerson(meta: Facts | undefined, seed = 0): Person | undefined {
  const facts = personFactsIn(meta);
  if (!facts) return undefined;
  const own = typeof facts['seed'] === 'number' ? facts['seed'] : seed;
  return { spec: withColours(cast({ body_type: 'balanced', ...castingIn(facts) }, own), facts), seed: own };
}

/**
 * The person to draw. With a picture it is always the person whose casting facts its meta holds; without one, a
 * person cast from `casting` and `seed`.
 * @throws EngineError `bad_input` for a picture without facts, because the drawing would show a different
 * person
 */
export function personFrom(input: EngineImage | undefined, casting: Casting, seed: number): Person {
  if (!input) return { spec: cast({ body_type: 'balanced', ...casting }, seed), seed };
  const person = knownPerson(input.meta, seed);
  if (!person)
    throw new EngineError(
      'bad_input',
      `${input.name} is a photograph, and this engine dresses people that it drew itself. Name a model of the catalogue or a picture that was generated here, or an image model that works on photographs of people.`,
    );
  return person;
}

/** The facts in a picture's meta from which `personFrom` draws the same person again. */
export const personFacts = ({ spec, seed }: Person): PictureMeta => ({
  seed,
  gender: spec.gender,
  ethnicity: spec.ethnicity,
  ...(spec.heritage ? { heritage: spec.heritage } : {}),
  body_type: spec.bodyType,
  age_range: spec.ageRange,
  skin_tone: spec.skin,
  hair: { colour: spec.hair.colour, texture: spec.hair.texture, style: spec.hair.style },
  eye_colour: spec.face.eyeColour,
});
