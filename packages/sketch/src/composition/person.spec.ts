import sharp from 'sharp';
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

/** The stream of random numbers is an object with a moving state; everything else must agree. */
const told = async (...given: Parameters<typeof personFrom>) => {
  const { spec, seed } = await personFrom(...given);
  const { random, ...rest } = spec;
  return { seed, next: random.fork('pen').next(), ...rest };
};

describe('personFrom', () => {
  it('draws the very person whose facts a picture carries, whatever the request casts', async () => {
    const original = { spec: cast(casting, 41), seed: 41 };
    const again = await told(picture(personFacts(original)), { gender: 'FEMALE' }, 7);
    const { random, ...spec } = original.spec;
    expect(again).toEqual({ seed: 41, next: random.fork('pen').next(), ...spec });
  });

  it('takes a model preset as a casting spec, and the person of a composed picture from its `person`', async () => {
    const preset = await told(picture({ seed: 30, ...casting }), {}, 1);
    const composed = await told(
      picture({ seed: 999, gender: 'FEMALE', person: { seed: 30, ...casting } }),
      {},
      2,
    );
    expect(preset.gender).toBe('MALE');
    expect(composed).toEqual(preset);
  });

  it('believes what is known of skin and hair before the casting, and nothing that is not a colour or a style', async () => {
    const hair = { colour: '#aa3311', texture: 'curly', style: 'cloud' };
    const known = await told(picture({ skin_tone: '#80563C', hair }), {}, 5);
    expect(known).toMatchObject({ skin: '#80563c', hair });
    const odd = await told(picture({ seed: 5, skin_tone: 'url(#x)', hair: { style: 'mohawk' } }), {}, 5);
    expect(odd.skin).toMatch(/^#[0-9a-f]{6}$/);
    expect(odd.hair.style).not.toBe('mohawk');
  });

  it('looks at the pixels of a picture without facts', async () => {
    const portrait = (skin: string): Promise<Buffer> =>
      sharp(
        Buffer.from(
          `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="500"><rect width="400" height="500" fill="#e9e6e0"/><ellipse cx="200" cy="230" rx="110" ry="150" fill="${skin}"/><rect x="80" y="380" width="240" height="120" fill="${skin}"/></svg>`,
        ),
      )
        .png()
        .toBuffer();
    const pale = await told(picture(undefined, await portrait('#f0c9a8')), casting, 3);
    const dark = await told(picture(undefined, await portrait('#6b4530')), casting, 3);
    expect(pale.skin).toBe('#f0c9a8');
    expect(dark.skin).toBe('#6b4530');
  });

  it('refuses a picture without facts that is no picture', async () => {
    await expect(personFrom(picture(), {}, 1)).rejects.toMatchObject({ errorClass: 'bad_input' });
  });
});
