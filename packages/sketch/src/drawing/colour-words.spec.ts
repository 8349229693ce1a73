import { describe, expect, it } from 'vitest';
import { lightness } from './colour.js';
import { colourOf, coloursIn } from './colour-words.js';

describe('colour words', () => {
  it('read hex values of six and of three digits', () => {
    expect(colourOf('#A1B2C3')).toBe('#a1b2c3');
    expect(colourOf('about #fa0')).toBe('#ffaa00');
  });

  it('know names, and prefer a name of two words', () => {
    expect(colourOf('Navy')).toBe('#1f2a48');
    expect(colourOf('sky-blue cotton')).toBe(colourOf('sky blue'));
  });

  it('let an adjective move the colour', () => {
    expect(lightness(colourOf('dark green'))).toBeLessThan(lightness(colourOf('green')));
    expect(lightness(colourOf('pale green'))).toBeGreaterThan(lightness(colourOf('green')));
  });

  it('find several colours, and one where names qualify each other', () => {
    expect(coloursIn('navy and cream stripes')).toEqual([colourOf('navy'), colourOf('cream')]);
    expect(coloursIn('sage green')).toEqual([colourOf('sage')]);
  });

  it('give an unknown name always the same colour, also a name of the language', () => {
    expect(colourOf('wibble')).toBe(colourOf('wibble'));
    expect(colourOf('constructor')).toMatch(/^#[0-9a-f]{6}$/);
    expect(colourOf('')).toMatch(/^#[0-9a-f]{6}$/);
  });
});
