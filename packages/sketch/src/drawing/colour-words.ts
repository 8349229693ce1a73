import { shade } from './colour.js';

/** Colours as people in fashion name them. A two-word name is looked up before its last word alone. */
// prettier-ignore
const WORDS: Readonly<Record<string, string>> = {
  white: '#f6f4ef', 'off white': '#f1ece0', ivory: '#f3ead6', cream: '#f2e6ca', ecru: '#e3d8bf', pearl: '#ebe6dc',
  eggshell: '#efe7d6', bone: '#e5dac6', oatmeal: '#d9ccb4', beige: '#d6c3a3', sand: '#d2b98f', stone: '#b9ad9a',
  nude: '#dfb99c', taupe: '#9c8775', greige: '#b8ad9e', camel: '#bd8c55', tan: '#c29a6b', khaki: '#a4966a',
  biscuit: '#d4b184', caramel: '#ab6b35', toffee: '#8f5a33', cognac: '#97502a', tobacco: '#75532f', brown: '#6b4630',
  chocolate: '#4a2c20', espresso: '#38251d', coffee: '#55392a', mocha: '#7d5d4c', walnut: '#5f4433', chestnut: '#7c3f2a',
  black: '#1d1c20', jet: '#17171a', ebony: '#262221', charcoal: '#3d3f44', graphite: '#4b4d52', anthracite: '#383b40',
  slate: '#5d6872', grey: '#8d8f92', gray: '#8d8f92', ash: '#b2b3b1', silver: '#bfc3c7', dove: '#b5b1ae',
  gunmetal: '#484e54', pewter: '#82858a', smoke: '#9a9b9d', red: '#b7222c', scarlet: '#c8281f', crimson: '#a3142f',
  cherry: '#9c1330', ruby: '#94153a', vermilion: '#d6402a', brick: '#9c4233', rust: '#a54a26', terracotta: '#bf6647',
  burgundy: '#6a1a2c', wine: '#62182e', oxblood: '#561a20', maroon: '#6b1c2a', merlot: '#5c1a2f', claret: '#741b35',
  coral: '#e8735f', salmon: '#e8937c', peach: '#f2b991', apricot: '#efab74', melon: '#f0a184', orange: '#dc7128',
  tangerine: '#e5782c', pumpkin: '#c9652a', copper: '#ab6138', bronze: '#8a6236', amber: '#cf8b2c', saffron: '#e09a22',
  marigold: '#e5a025', mustard: '#c8962f', ochre: '#bd8a3a', gold: '#bf9b4e', golden: '#c59d48', honey: '#d19c4a',
  yellow: '#ebc63f', lemon: '#f0dd6d', butter: '#f3e2a0', canary: '#efd64c', turmeric: '#d8961f', champagne: '#e6d3b1',
  green: '#3f7d4e', emerald: '#14704f', forest: '#2b4d38', 'forest green': '#2b4d38', bottle: '#1d4536', hunter: '#2f4d36',
  olive: '#6b6a3a', moss: '#6f7548', sage: '#a1ab8d', mint: '#b4dac5', pistachio: '#bccf98', lime: '#a9c740',
  chartreuse: '#bfcb4a', jade: '#3f8f72', fern: '#5b8253', eucalyptus: '#8aa393', seafoam: '#a5cfbf', army: '#585b3a',
  parrot: '#4c9a3c', teal: '#1f6f74', petrol: '#1d5262', turquoise: '#35a8a3', aqua: '#7cc7c4', cyan: '#38a9bd',
  peacock: '#11677c', blue: '#2f5c9e', navy: '#1f2a48', midnight: '#191f38', indigo: '#303a73', cobalt: '#1f4fa3',
  'royal blue': '#26479f', royal: '#26479f', sapphire: '#1f4187', cerulean: '#3e88b8', azure: '#4c96cf', sky: '#98c3e0',
  'sky blue': '#98c3e0', 'powder blue': '#b8cfdf', 'baby blue': '#b9d3e8', 'ice blue': '#d0e1ea', periwinkle: '#949fd3',
  denim: '#496787', chambray: '#7d97b3', steel: '#6d8297', purple: '#66397c', violet: '#6c4a9e', plum: '#5b2a4c',
  aubergine: '#41213d', eggplant: '#41213d', mulberry: '#762c5a', lavender: '#b9abd6', lilac: '#c9b0d8', mauve: '#b08ba3',
  orchid: '#b76bb0', amethyst: '#8a63ab', grape: '#583168', wisteria: '#a793cb', pink: '#e59bb0', blush: '#eac4bd',
  rose: '#cf7a85', 'dusty rose': '#c69292', 'rose gold': '#cb9483', 'hot pink': '#dc3a83', rani: '#c41e6c',
  fuchsia: '#c52b82', magenta: '#b4226f', raspberry: '#a52353', bubblegum: '#ee9cbd', flamingo: '#ee8a92',
  multicolour: '#b5556a', multicolor: '#b5556a', multi: '#b5556a', transparent: '#eef0ef', natural: '#e2d7c2',
};

/** How an adjective moves a colour: L* steps and a factor on its chroma. */
// prettier-ignore
const ADJECTIVES: Readonly<Record<string, readonly [steps: number, chroma: number]>> = {
  dark: [-16, 0.95], deep: [-12, 1.1], light: [15, 0.8], pale: [22, 0.6], soft: [8, 0.75], pastel: [20, 0.65],
  dusty: [4, 0.6], muted: [0, 0.6], washed: [12, 0.7], faded: [12, 0.65], bright: [6, 1.3], vivid: [3, 1.4],
  neon: [14, 1.8], electric: [6, 1.6], rich: [-5, 1.2], warm: [2, 1.05],
};

/**
 * Colours for unknown names. They go well with any other colour, and the same name always gets the same one.
 */
const TASTEFUL = [
  '#8f6f5e',
  '#5f7480',
  '#7d8466',
  '#9c6a70',
  '#b08d57',
  '#54606b',
  '#76637f',
  '#a8806a',
] as const;

const HEX = /#([0-9a-f]{6}|[0-9a-f]{3})\b/i;

const hexIn = (words: string): string | undefined => {
  const found = HEX.exec(words)?.[1]?.toLowerCase();
  if (!found) return undefined;
  return found.length === 6 ? `#${found}` : `#${[...found].map((c) => c + c).join('')}`;
};

interface Named {
  readonly at: number;
  readonly colour: string;
}

function namedIn(tokens: readonly string[]): Named[] {
  const named: Named[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const pair = `${tokens[i]} ${tokens[i + 1]}`;
    const two = Object.hasOwn(WORDS, pair) ? WORDS[pair] : undefined;
    const word = tokens[i] ?? '';
    const one = Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
    const colour = two ?? one;
    if (colour) named.push({ at: i, colour });
    if (two) i++;
  }
  return named;
}

/**
 * All colours that the words name, in their order, as hex: "navy and cream stripes" gives two. "Dusty sage
 * green" gives one: neighbouring names qualify each other, and the first one counts.
 */
export function coloursIn(words: string): string[] {
  const given = hexIn(words);
  if (given) return [given];
  const tokens = words
    .toLowerCase()
    .replace(/[^a-z]+/g, ' ')
    .trim()
    .split(' ');
  const named = namedIn(tokens).filter(({ at }, i, all) => i === 0 || at - (all[i - 1]?.at ?? 0) > 1);
  return named.map(({ at, colour }) => {
    const adjective = tokens[at - 1] ?? '';
    const [steps, chroma] = (Object.hasOwn(ADJECTIVES, adjective) ? ADJECTIVES[adjective] : undefined) ?? [
      0, 1,
    ];
    return steps === 0 && chroma === 1 ? colour : shade(colour, steps, chroma);
  });
}

/**
 * The colour that the words name, as a hex value or by name. An unknown name gets a quiet colour of its own.
 */
export function colourOf(words: string): string {
  const [first] = coloursIn(words);
  if (first) return first;
  let hash = 0;
  for (const c of words.toLowerCase()) hash = (Math.imul(hash, 31) + c.charCodeAt(0)) >>> 0;
  return TASTEFUL[hash % TASTEFUL.length] ?? TASTEFUL[0];
}
