import { shade } from '../drawing/colour.js';
import { path } from '../drawing/svg-sheet.js';
import type { GarmentSpec } from './garment-spec.js';

type Texture =
  | 'plain'
  | 'twill'
  | 'slub'
  | 'knit'
  | 'cable'
  | 'wale'
  | 'tweed'
  | 'lace'
  | 'grain'
  | 'nap'
  | 'sequin'
  | 'weave'
  | 'brocade'
  | 'fur';

/** How a material looks. */
interface Material {
  readonly texture: Texture;
  /** 0 matt, 1 patent leather or metal. */
  readonly sheen: number;
  /** Below 1 the layer beneath shows through. */
  readonly opacity: number;
}

const made = (texture: Texture, sheen: number, opacity = 1): Material => ({ texture, sheen, opacity });

const MATERIALS: readonly (readonly [RegExp, Material])[] = [
  [/sequin|beaded|mirror ?work|glitter/, made('sequin', 0.75)],
  [/denim|chambray/, made('twill', 0.05)],
  [/cable/, made('cable', 0)],
  [/cashmere|merino|knit|jumper|wool(?!len coat)|alpaca|mohair|rib/, made('knit', 0.04)],
  [/tweed|boucl|herringbone|felt|flannel/, made('tweed', 0)],
  [/corduroy/, made('wale', 0.15)],
  [/patent/, made('grain', 1)],
  [/suede|nubuck/, made('nap', 0.05)],
  [/leather|rexine/, made('grain', 0.5)],
  [/velvet|velour/, made('nap', 0.45)],
  [/brocade|jacquard|banarasi|kanj/, made('brocade', 0.5)],
  [/silk|satin|charmeuse|taffeta|lam[eé]|sateen/, made('plain', 0.75)],
  [/chiffon|organza|georgette|tulle|mesh|net|sheer|voile/, made('plain', 0.2, 0.8)],
  [/lace|crochet|eyelet|broderie|chikan/, made('lace', 0)],
  [/linen|khadi|hemp|ramie|slub/, made('slub', 0)],
  [/fur|shearling|sherpa|fleece|teddy/, made('fur', 0.05)],
  [/straw|raffia|jute|rattan|wicker|canvas|basket/, made('weave', 0.05)],
  [/twill|gabardine|chino|drill/, made('twill', 0.08)],
  [/nylon|polyester|puffer|down|ripstop|patent|vinyl|acetate|rubber/, made('plain', 0.4)],
  [/gold|silver|brass|metal|steel|platinum|pearl|kundan|polki/, made('plain', 1)],
];

export const materialOf = (words: string): Material =>
  MATERIALS.find(([pattern]) => pattern.test(words.toLowerCase()))?.[1] ?? made('plain', 0.08);

const line = (d: string, stroke: string, width: number, opacity: number): string =>
  path(d, {
    fill: 'none',
    stroke,
    'stroke-width': width,
    'stroke-opacity': opacity,
    'stroke-linecap': 'round',
  });

export interface Tile {
  readonly width: number;
  readonly height: number;
  readonly body: string;
}

/** The repeating tile of a texture on cloth of this colour, in centimetres; undefined for smooth cloth. */
export function textureTile(texture: Texture, colour: string): Tile | undefined {
  const dark = shade(colour, -16);
  const light = shade(colour, 14);
  switch (texture) {
    case 'plain':
    case 'nap':
      return undefined;
    case 'twill':
      return {
        width: 0.8,
        height: 0.8,
        body:
          line('M-.2 1L1 -.2M-.6 .6L.6 -.6M.2 1.4L1.4 .2', light, 0.14, 0.45) +
          line('M-.2 .6L.6 -.2M.2 1L1 .2', dark, 0.12, 0.35),
      };
    case 'slub':
      return {
        width: 9,
        height: 7,
        body:
          line('M0 1.2H4M5.5 2.8H9M1 4.4H3.4M6 5.8H8.4', dark, 0.16, 0.3) +
          line('M1.5 0V3M4.2 2V7M7 0V4M2.8 5V7', light, 0.16, 0.5) +
          line('M0 3.6H2M4 .6H6.6M3.6 6.4H6', light, 0.2, 0.4),
      };
    case 'knit':
      return {
        width: 1.5,
        height: 1.3,
        body:
          line('M.1 .2L.75 .9L1.4 .2', dark, 0.22, 0.34) + line('M.1 .75L.75 1.4L1.4 .75', light, 0.16, 0.3),
      };
    case 'cable':
      return {
        width: 7,
        height: 5,
        body:
          line('M.6 0V5M6.4 0V5', dark, 0.3, 0.4) +
          line('M2 0C2 2 5 3 5 5M5 0C5 2 2 3 2 5', dark, 0.5, 0.45) +
          line('M2.5 0C2.5 2 5.5 3 5.5 5', light, 0.3, 0.6),
      };
    case 'wale':
      return {
        width: 0.9,
        height: 4,
        body: line('M.2 0V4', dark, 0.22, 0.5) + line('M.6 0V4', light, 0.2, 0.5),
      };
    case 'tweed':
      return {
        width: 2.8,
        height: 2.8,
        body:
          line(
            'M.2 .4l.3 .3M1.4 .2l.3 -.2M2.2 1l.2 .3M.7 1.5l.3 -.2M1.7 1.9l.3 .2M.3 2.4l.2 .2M2.4 2.5l.2 -.3',
            light,
            0.26,
            0.7,
          ) +
          line(
            'M.9 .6l.2 .3M2 .5l.3 .1M.2 1.4l.2 .2M1.3 1.2l.2 .2M2.5 1.7l.2 .1M1.1 2.4l.3 .2',
            dark,
            0.26,
            0.6,
          ),
      };
    case 'lace':
      return {
        width: 4,
        height: 4,
        body:
          line(
            'M2 .2C3 1 3 1.4 2 2C1 1.4 1 1 2 .2M2 3.8C3 3 3 2.6 2 2C1 2.6 1 3 2 3.8M.2 2C1 3 1.4 3 2 2C1.4 1 1 1 .2 2M3.8 2C3 3 2.6 3 2 2C2.6 1 3 1 3.8 2',
            shade(colour, 12),
            0.2,
            0.9,
          ) + line('M0 0l.6 .6M4 0l-.6 .6M0 4l.6 -.6M4 4l-.6 -.6', dark, 0.4, 0.3),
      };
    case 'grain':
      return {
        width: 3,
        height: 3,
        body: line(
          'M.2 .6q.5 .3 .9 0M1.6 .3q.3 .4 .9 .2M.8 1.6q.4 -.3 .8 0M2 1.5q.3 .3 .8 .1M.3 2.5q.4 .3 .8 0M1.7 2.5q.3 -.3 .8 0',
          dark,
          0.12,
          0.3,
        ),
      };
    case 'sequin':
      return {
        width: 1.4,
        height: 1.4,
        body:
          [
            [0.35, 0.35],
            [1.05, 1.05],
          ]
            .map(
              ([x, y]) =>
                `<circle cx="${x}" cy="${y}" r=".34" fill="${light}" fill-opacity=".75"/><circle cx="${x}" cy="${y}" r=".14" fill="#fff" fill-opacity=".85"/>`,
            )
            .join('') +
          [
            [1.05, 0.35],
            [0.35, 1.05],
          ]
            .map(([x, y]) => `<circle cx="${x}" cy="${y}" r=".34" fill="${dark}" fill-opacity=".6"/>`)
            .join(''),
      };
    case 'weave':
      return {
        width: 2,
        height: 2,
        body: line('M0 .5H1M1 1.5H2', dark, 0.5, 0.28) + line('M.5 1V2M1.5 0V1', light, 0.6, 0.45),
      };
    case 'brocade':
      return {
        width: 7,
        height: 8,
        body: `<g fill="${shade(colour, 24, 1.1)}" fill-opacity=".6"><path d="M3.5 1C5 2.4 5 3.6 3.5 5C2 3.6 2 2.4 3.5 1Z"/><path d="M0 5C1.4 6 1.4 7 0 8ZM7 5C5.6 6 5.6 7 7 8Z"/><circle cx="3.5" cy="6" r=".4"/></g>`,
      };
    case 'fur':
      return {
        width: 4,
        height: 4,
        body:
          line(
            'M.4 .2q.4 .8 .1 1.4M1.6 .8q.2 .7 .7 1.2M3 .2q-.4 .8 0 1.4M.9 2.2q.6 .6 .4 1.4M2.4 2.4q-.4 .6 .1 1.2M3.5 2q.3 .8 -.1 1.5',
            dark,
            0.2,
            0.4,
          ) +
          line(
            'M1 .1q.3 .7 .1 1.3M2.3 1.6q.3 .5 .1 1.2M3.4 .9q.2 .5 0 1.1M.3 2.9q.3 .4 .1 1',
            light,
            0.2,
            0.6,
          ),
      };
    default: {
      const unknown: never = texture;
      throw new RangeError(`no texture ${String(unknown)}`);
    }
  }
}

/** The cloth of a garment before it is cut. */
export interface Fabric {
  readonly colour: string;
  readonly accents: readonly string[];
  readonly pattern: string;
  readonly material: Material;
  /** Size of pattern and texture: 1 for garments, less for small things. */
  readonly repeat: number;
}

export const fabricOf = (spec: GarmentSpec, repeat = 1): Fabric => ({
  colour: spec.colours[0] ?? '#8d8f92',
  accents: spec.colours.slice(1).filter((c) => c !== spec.colours[0]),
  pattern: spec.pattern.toLowerCase(),
  material: materialOf(spec.material),
  repeat,
});
