import { describe, expect, it } from 'vitest';
import { anchorOf, anchorsIn } from './anchor-words.js';
import { colourOf } from './colour-words.js';
import { groundIn, lightIn, surfaceIn, topologyIn } from './scene-words.js';

describe('colourOf', () => {
  it.each([
    ['#A1B2C3', '#a1b2c3'],
    ['#abc', '#aabbcc'],
    ['terracotta', '#c4694a'],
    ['Off-White', '#f2eee5'],
    ['rebeccapurple', '#663399'],
    ['dusty rose', colourOf('Dusty Rose')],
  ])('reads %s', (said, hex) => {
    expect(colourOf(said)).toBe(hex);
  });

  it('lets adjectives lighten, darken and mute', () => {
    const plain = colourOf('teal');
    expect(new Set([plain, colourOf('pale teal'), colourOf('deep teal'), colourOf('muted teal')]).size).toBe(
      4,
    );
  });

  it('gives unknown words a colour that stays theirs', () => {
    expect(colourOf('the sound of rain')).toMatch(/^#[0-9a-f]{6}$/);
    expect(colourOf('the sound of rain')).toBe(colourOf('The sound of rain'));
    expect(colourOf('the sound of rain')).not.toBe(colourOf('grandmother'));
  });
});

describe('anchorOf', () => {
  it.each([
    ['an old wooden door', 'door'],
    ['potted palm', 'palm'],
    ['terracotta pots', 'urn'],
    ['stone bench', 'bench'],
    ['low stone wall', 'wall'],
    ['sheer linen curtains', 'curtain'],
    ['gramophone', 'object'],
  ] as const)('takes "%s" for a %s', (said, name) => {
    expect(anchorOf(said)).toBe(name);
  });

  it('finds every piece that a text mentions, in its order', () => {
    expect(anchorsIn('stairs under an arch, with a lantern')).toEqual(['stairs', 'arch', 'lantern']);
  });
});

describe('words of a scene', () => {
  it.each([
    ['narrow street in Jaipur', 'street_path'],
    ['haveli courtyard', 'courtyard_veranda'],
    ['draped silk', 'textile_installation'],
    ['Scottish mountains', 'open_location'],
    ['hotel lobby', 'rear_plane_room'],
    ['brick wall', 'shallow_wall'],
    ['white studio', 'seamless_sweep'],
    ['spaceship', undefined],
  ])('sees in "%s" the topology %s', (said, topology) => {
    expect(topologyIn(said)).toBe(topology);
  });

  it('reads ground, light and surface', () => {
    expect(groundIn('wet sand')).toBe('sand');
    expect(lightIn('golden hour')).toBe('warm_directional_sun');
    expect(lightIn('moody')).toBe('quiet_low_key');
    expect(surfaceIn('weathered lime plaster')).toBe('cracked');
  });
});
