import { describe, expect, it } from 'vitest';
import { EngineError } from '@atelier/engine';
import { cast, type Casting } from '../casting/cast.js';
import { personFacts, personFrom } from './person.js';

const picture = (meta?: Record<string, unknown>, bytes: Buffer = Buffer.from('no picture at all')) => ({
  name: 'model_image',
  bytes,
  ...(meta ? { meta } : {}),
});

const casting: Casting = {
  gender: 'MALE',
  ethnicity: 'indian',
  heritage: 'south_indian',
  body_type: 'athletic',
  age_range: '26-30',
};

/** The stream of random numbers is left out, because its state changes. Everything else must be equal. */
const told = (...given: Parameters<typeof personFrom>) => {
  const { spec, seed } = personFrom(...given);
  const { random, ...rest } = spec;
  return { seed, next: random.fork('pen').next(), ...rest };
};

describe('personFrom', () => {
  it('draws the very person whose facts a picture carries, whatever the request casts', () => {
    const original = { spec: cast(casting, 41), seed: 41 };
    const again = told(picture(personFacts(original)), { gender: 'FEMALE' }, 7);
    const { random, ...spec } = original.spec;
    expect(again).toEqual({ seed: 41, next: random.fork('pen').next(), ...spec });
  });

  it('takes a model preset as a casting spec, and the person of a composed picture from its `person`', () => {
    const preset = told(picture({ seed: 30, ...casting }), {}, 1);
    const composed = told(picture({ seed: 999, gender: 'FEMALE', person: { seed: 30, ...casting } }), {}, 2);
    expect(preset.gender).toBe('MALE');
    expect(composed).toEqual(preset);
  });

  it('believes what is known of skin and hair before the casting, and nothing that is not a colour or a style', () => {
    const hair = { colour: '#aa3311', texture: 'curly', style: 'cloud' };
    const known = told(picture({ skin_tone: '#80563C', hair }), {}, 5);
    expect(known).toMatchObject({ skin: '#80563c', hair });
    const odd = told(picture({ seed: 5, skin_tone: 'url(#x)', hair: { style: 'mohawk' } }), {}, 5);
    expect(odd.skin).toMatch(/^#[0-9a-f]{6}$/);
    expect(odd.hair.style).not.toBe('mohawk');
  });

  it('refuses a picture that does not say who is on it: somebody else would be drawn', () => {
    expect(() => personFrom(picture(), {}, 1)).toThrow(
      /^model_image is a photograph, and this engine dresses/,
    );
    expect(() => personFrom(picture({ garment_class: 'top' }), {}, 1)).toThrow(EngineError);
  });
});
