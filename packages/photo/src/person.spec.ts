import { describe, expect, it } from 'vitest';
import { opened, pictureOf, sample } from './people.fixture.js';
import { findPerson, isAlone, isClear } from './person.js';

describe('findPerson', () => {
  it.each([
    'astronaut',
    'bow-tie',
    'brimmed-hat',
    'curls-and-hood',
    'dark-hair',
    'fair-hair',
    'jersey',
    'long-braids',
    'scarf',
    'skateboarder',
    'striped-shirt',
    'three-standing',
    'yellow-wall',
  ])('finds who is on the photograph %s, and is sure of it', async (name) => {
    const person = await findPerson(await opened(name));
    if (!person) throw new Error('somebody was expected');
    expect(isClear(person)).toBe(true);
  });

  it.each([
    ['scarf', true],
    ['skateboarder', true],
    ['yellow-wall', true],
    ['bow-tie', true],
    ['three-standing', false],
  ])('tells whether who is on %s stands alone, whoever walks by behind: %s', async (name, alone) => {
    const picture = await opened(name);
    const person = await findPerson(picture);
    if (!person) throw new Error('somebody was expected');
    expect(await isAlone(picture, person)).toBe(alone);
  });

  it.each(['between-chairs', 'blue-wig', 'looking-down'])(
    'knows that it cannot tell the person on %s from what is around',
    async (name) => {
      const person = await findPerson(await opened(name));
      if (!person) throw new Error('somebody was expected');
      expect(isClear(person)).toBe(false);
    },
  );

  it.each(['nobody-car', 'nobody-office', 'two-walking'])('finds no head on %s', async (name) => {
    expect(await findPerson(await opened(name))).toBeUndefined();
  });

  it.each(['garment-photograph', 'jacket', 'jumper', 'trousers'])(
    'takes the laid out %s for nobody',
    async (name) => {
      expect(await findPerson(await pictureOf(await sample(name)))).toBeUndefined();
    },
  );

  it("leaves the process's error handlers alone", async () => {
    await findPerson(await opened('bow-tie'));
    const handlers = [...process.listeners('uncaughtException'), ...process.listeners('unhandledRejection')];
    expect(handlers.filter((handler) => /throw (?:ex|reason)/.test(String(handler)))).toEqual([]);
  });

  it('says where head and feet are', async () => {
    const picture = await opened('skateboarder');
    const { box, joints } = (await findPerson(picture)) ?? {};
    if (!box || !joints) throw new Error('somebody was expected');
    expect(joints.nose.y).toBeLessThan(box.top + box.height * 0.16);
    expect(joints.leftAnkle.y).toBeGreaterThan(box.top + box.height * 0.85);
    expect(joints.nose.score).toBeGreaterThan(0.5);
  });
});
