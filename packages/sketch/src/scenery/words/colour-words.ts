import { fromLab, shade, toHex } from '../../drawing/colour.js';
import { namedColour } from './colour-table.js';
import { hashWords } from './hash.js';

/** What an adjective does to a colour: steps of lightness, factor of chroma. */
const ADJECTIVES: Readonly<Record<string, readonly [steps: number, chroma: number]>> = {
  light: [14, 0.85],
  pale: [18, 0.65],
  soft: [8, 0.75],
  pastel: [16, 0.7],
  washed: [12, 0.6],
  faded: [9, 0.6],
  dusty: [2, 0.6],
  muted: [0, 0.6],
  smoky: [-6, 0.5],
  warm: [1, 1.05],
  cool: [1, 0.95],
  bright: [6, 1.3],
  vivid: [2, 1.4],
  rich: [-6, 1.2],
  deep: [-14, 1.1],
  dark: [-18, 0.95],
  burnt: [-10, 1.05],
  raw: [-3, 0.9],
};

const hex6 = (digits: string): string =>
  `#${digits.length === 3 ? [...digits].map((d) => d + d).join('') : digits}`.toLowerCase();

/** The longest run of words that names a colour, from the end: in "dusty old rose" that is "old rose". */
function nameIn(words: readonly string[]): { colour: string; rest: readonly string[] } | undefined {
  for (let length = Math.min(3, words.length); length >= 1; length--) {
    for (let from = words.length - length; from >= 0; from--) {
      const colour = namedColour(words.slice(from, from + length).join(''));
      if (colour) return { colour, rest: words.filter((_, i) => i < from || i >= from + length) };
    }
  }
  return undefined;
}

/**
 * A colour from a hex code or from words: CSS names, what stylists say, and adjectives before them ("dusty rose", "deep
 * teal"). Words that name no colour get a quiet one of their own, always the same.
 */
export function colourOf(said: string): string {
  const code = /#?\b([0-9a-f]{6}|[0-9a-f]{3})\b/i.exec(said.trim());
  if (code?.[1] && (said.includes('#') || /\d/.test(code[1]))) return hex6(code[1]);
  const words = said
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, ' ')
    .trim()
    .split(' ');
  const found = nameIn(words);
  if (!found) {
    const hash = hashWords(words.join(' '));
    const hue = ((hash % 360) * Math.PI) / 180;
    const lightness = 52 + ((hash >>> 9) % 28);
    return toHex(fromLab([lightness, 22 * Math.cos(hue), 26 * Math.sin(hue)]));
  }
  return found.rest.reduce((colour, word) => {
    const change = Object.hasOwn(ADJECTIVES, word) ? ADJECTIVES[word] : undefined;
    return change ? shade(colour, change[0], change[1]) : colour;
  }, found.colour);
}
