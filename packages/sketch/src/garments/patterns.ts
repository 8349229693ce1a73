import { blend, lightness, parseHex, shade, toLab } from '../drawing/colour.js';
import type { SeededRandom } from '../drawing/seeded-random.js';
import { element, path } from '../drawing/svg-sheet.js';
import type { Fabric, Tile } from './fabric.js';

type Draw = (ground: string, accents: readonly [string, string, string], random: SeededRandom) => Tile;

const rect = (x: number, y: number, width: number, height: number, fill: string, opacity = 1): string =>
  element('rect', { x, y, width, height, fill, 'fill-opacity': opacity });

const dot = (cx: number, cy: number, r: number, fill: string, opacity = 1): string =>
  element('circle', { cx, cy, r, fill, 'fill-opacity': opacity });

const at = (x: number, y: number, turn: number, scale: number, body: string): string =>
  element(
    'g',
    {
      transform: `translate(${x.toFixed(2)} ${y.toFixed(2)}) rotate(${turn.toFixed(0)}) scale(${scale.toFixed(2)})`,
    },
    body,
  );

const PETAL = 'M0 0C-.9 -.5 -.9 -1.7 0 -2C.9 -1.7 .9 -.5 0 0Z';
const LEAF = 'M0 0C.9 -.7 1.9 -.6 2.6 0C1.9 .5 .9 .6 0 0Z';

const blossom = (petals: string, heart: string, count: number): string =>
  Array.from({ length: count }, (_, k) =>
    path(PETAL, { fill: petals, 'fill-opacity': 0.95, transform: `rotate(${(360 * k) / count})` }),
  ).join('') + dot(0, 0, 0.52, heart);

/** Draws a motif again at the opposite edges of the tile, so that the repeat has no seam. */
const wrapped = (size: number, x: number, y: number, motif: (x: number, y: number) => string): string =>
  [-size, 0, size]
    .flatMap((dx) => [-size, 0, size].map((dy) => [x + dx, y + dy] as const))
    .filter(([px, py]) => px > -4 && py > -4 && px < size + 4 && py < size + 4)
    .map(([px, py]) => motif(px, py))
    .join('');

/** Places on a jittered grid. Every other column is half a step lower, as in printed cloth. */
const scattered = (
  size: number,
  cells: number,
  random: SeededRandom,
  motif: (x: number, y: number, k: number) => string,
): string => {
  const step = size / cells;
  let body = '';
  for (let i = 0; i < cells; i++) {
    for (let j = 0; j < cells; j++) {
      const x = (i + 0.5) * step + random.wobble(step * 0.2);
      const y = (j + (i % 2 ? 1 : 0.5)) * step + random.wobble(step * 0.2);
      const k = i * cells + j;
      body += wrapped(size, x, y, (px, py) => motif(px, py, k));
    }
  }
  return body;
};

const floral: Draw = (ground, [first, second, third], random) => {
  const green = blend(ground, lightness(ground) > 55 ? '#4f6b3f' : '#8fae7b', 0.75);
  const turns = Array.from({ length: 16 }, () => random.between(0, 360));
  const body = scattered(14, 4, random, (x, y, k) => {
    const turn = turns[k] ?? 0;
    const large = k % 3 === 0;
    const petals = [first, second, third][k % 3] ?? first;
    const leaves =
      path(LEAF, { fill: green, transform: 'translate(1 1) rotate(20)' }) +
      path(LEAF, { fill: green, transform: 'translate(-1 1) rotate(160)' });
    return at(
      x,
      y,
      turn,
      large ? 1.05 : 0.6,
      leaves + blossom(petals, k % 2 ? '#d8a63c' : shade(petals, -24), large ? 6 : 5),
    );
  });
  return { width: 14, height: 14, body };
};

const PAISLEY =
  'M0 3.4C-2.6 3.4 -3.2 .6 -1.8 -1.2C-.8 -2.6 .8 -3 1.2 -4.4C2.6 -2.4 3.4 1 1.8 2.6C1.3 3.1 .7 3.4 0 3.4Z';

const paisley: Draw = (_ground, [first, second, third], random) => ({
  width: 20,
  height: 20,
  body:
    scattered(20, 2, random, (x, y, k) =>
      at(
        x,
        y,
        [-28, 152, 34, -146][k] ?? 0,
        1.12,
        path(PAISLEY, { fill: first }) +
          path(PAISLEY, { fill: second, transform: 'scale(.66) translate(0 .4)' }) +
          path(PAISLEY, { fill: third, transform: 'scale(.36) translate(0 1)' }) +
          [0, 1, 2, 3, 4].map((i) => dot(-3 + i * 0.3, 2.6 - i * 1.3, 0.2, first)).join(''),
      ),
    ) +
    scattered(20, 4, random, (x, y, k) => at(x, y, k * 40, 0.42, blossom(k % 2 ? second : first, third, 5))),
});

const leopard: Draw = (ground, [first], random) => {
  const dark = lightness(ground) > 40 ? '#33231a' : shade(ground, 34);
  const middle = blend(ground, first, 0.35);
  const turns = Array.from(
    { length: 16 },
    () => [random.between(0, 360), random.between(0.75, 1.15)] as const,
  );
  return {
    width: 13,
    height: 13,
    body: scattered(13, 4, random, (x, y, k) => {
      const [turn, size] = turns[k] ?? [0, 1];
      return at(
        x,
        y,
        turn,
        size,
        path('M-.9 -.6C-.2 -1.2 .9 -.8 1 0C.9 .9 -.4 1 -.9 .4Z', { fill: middle }) +
          path(
            'M-1.2 -.2C-1.3 -1 -.4 -1.5 .3 -1.3C-.1 -.9 -.7 -.8 -.8 0ZM.7 -1.1C1.5 -.7 1.5 .2 1.1 .6C.9 .2 1 -.3 .5 -.7ZM.8 1C.2 1.5 -.8 1.2 -1.1 .5C-.6 .7 0 .8 .5 .6Z',
            { fill: dark },
          ),
      );
    }),
  };
};

const zebra: Draw = (ground, [first]) => ({
  width: 12,
  height: 10,
  body: path(
    'M0 1C3 0 4 3 7 2C9 1.4 10 2.4 12 1.6L12 3C10 3.6 9 2.8 7 3.4C4 4.2 3 1.6 0 2.4ZM0 6C2 5 5 8 8 6.4C9.5 5.8 11 6.6 12 6L12 7.4C10 8.2 9.4 7 8 7.8C5 9.2 2.4 6.4 0 7.4Z',
    { fill: lightness(ground) > 50 ? '#25221f' : first },
  ),
});

/** Woven as on the loom: four dark and four light threads in each direction, in a two-over, two-under twill. */
const houndstooth: Draw = (_ground, [first]) => {
  const cell = 0.55;
  const squares: string[] = [];
  for (let i = 0; i < 8; i++) {
    for (let j = 0; j < 8; j++) {
      const warpOnTop = (((i - j) % 4) + 4) % 4 < 2;
      if ((warpOnTop ? i : j) < 4)
        squares.push(`M${(i * cell).toFixed(2)} ${(j * cell).toFixed(2)}h${cell}v${cell}h-${cell}Z`);
    }
  }
  return { width: 8 * cell, height: 8 * cell, body: path(squares.join(''), { fill: first }) };
};

const plaid: Draw = (ground, [first, second, third]) => ({
  width: 12,
  height: 12,
  body:
    rect(0, 0, 12, 3.4, first, 0.5) +
    rect(0, 0, 3.4, 12, first, 0.5) +
    rect(0, 6, 12, 1.4, second, 0.5) +
    rect(6, 0, 1.4, 12, second, 0.5) +
    rect(0, 9.4, 12, 0.35, third, 0.9) +
    rect(9.4, 0, 0.35, 12, third, 0.9) +
    rect(0, 4.6, 12, 0.25, ground, 0.6),
});

const ikat: Draw = (_ground, [first, second]) => {
  const feathered = (half: number, fill: string): string => {
    const steps = 7;
    return Array.from({ length: steps }, (_, i) => {
      const y = (half * 1.4 * i) / steps;
      const w = half * (1 - i / steps) + (i % 2 ? 0.35 : 0);
      return rect(5 - w, 6 - y - 0.7, w * 2, 0.75, fill, 0.92) + rect(5 - w, 6 + y, w * 2, 0.75, fill, 0.92);
    }).join('');
  };
  return {
    width: 10,
    height: 12,
    body:
      feathered(4.2, first) +
      feathered(2.4, second) +
      feathered(0.9, first) +
      dot(0, 0, 0.6, second) +
      dot(10, 0, 0.6, second) +
      dot(0, 12, 0.6, second) +
      dot(10, 12, 0.6, second),
  };
};

const buti: Draw = (_ground, [first, second], random) => ({
  width: 14,
  height: 14,
  body: scattered(14, 2, random, (x, y) =>
    at(
      x,
      y,
      0,
      1.1,
      path('M0 3.2V.6', { stroke: first, 'stroke-width': 0.3, fill: 'none' }) +
        path('M0 1C-1.8 .4 -1.8 -1.6 0 -2.6C1.8 -1.6 1.8 .4 0 1Z', { fill: first }) +
        path('M0 .4C-.8 0 -.8 -.9 0 -1.5C.8 -.9 .8 0 0 .4Z', { fill: second }) +
        path(LEAF, { fill: first, transform: 'translate(0 2.4) rotate(-28) scale(.7)' }) +
        path(LEAF, { fill: first, transform: 'translate(0 2.4) rotate(208) scale(.7)' }),
    ),
  ),
});

const camouflage: Draw = (_ground, accents, random) => {
  const blob =
    'M-2.6 -.4C-2 -2 .2 -1.6 1.2 -1.9C2.8 -2.2 3 -.4 2.2 .4C1.6 1 2.2 1.8 .6 1.9C-.8 2 -1 1 -2 1.1C-3 1 -3 .3 -2.6 -.4Z';
  const turns = Array.from({ length: 16 }, () => random.between(0, 360));
  return {
    width: 16,
    height: 16,
    body: scattered(16, 4, random, (x, y, k) =>
      at(x, y, turns[k] ?? 0, 1.05, path(blob, { fill: accents[k % 3] })),
    ),
  };
};

const geometric: Draw = (_ground, [first, second, third]) => ({
  width: 8,
  height: 8,
  body:
    path('M0 0L4 4L0 8Z', { fill: first }) +
    path('M8 0L4 4L8 8Z', { fill: second }) +
    path('M4 1.6L5.6 4L4 6.4L2.4 4Z', { fill: third }),
});

/** A quiet motif for words that name no known pattern. */
const motif: Draw = (_ground, [first, second]) => ({
  width: 7,
  height: 7,
  body: [
    [1.75, 1.75],
    [5.25, 5.25],
  ]
    .map(
      ([x = 0, y = 0]) =>
        path(`M${x} ${y - 1.1}L${x + 0.5} ${y}L${x} ${y + 1.1}L${x - 0.5} ${y}Z`, { fill: first }) +
        dot(x - 1, y, 0.18, second) +
        dot(x + 1, y, 0.18, second),
    )
    .join(''),
});

const PATTERNS: readonly (readonly [RegExp, Draw])[] = [
  [/pin ?stripe/, (_, [a]) => ({ width: 1.9, height: 4, body: rect(0.8, 0, 0.22, 4, a, 0.85) })],
  [
    /(horizontal|breton|sailor|nautical).*|stripe.*horizontal/,
    (_, [a]) => ({ width: 6, height: 4.6, body: rect(0, 0.8, 6, 1.7, a) }),
  ],
  [/awning|wide stripe|bold stripe/, (_, [a]) => ({ width: 9, height: 9, body: rect(0, 0, 4.5, 9, a) })],
  [/strip/, (_, [a]) => ({ width: 3.6, height: 6, body: rect(0.6, 0, 1.3, 6, a) })],
  [
    /gingham|vichy/,
    (_, [a]) => ({
      width: 3.2,
      height: 3.2,
      body: rect(0, 0, 1.6, 3.2, a, 0.5) + rect(0, 0, 3.2, 1.6, a, 0.5),
    }),
  ],
  [
    /window ?pane/,
    (_, [a]) => ({ width: 7, height: 7, body: rect(3, 0, 0.3, 7, a, 0.9) + rect(0, 3, 7, 0.3, a, 0.9) }),
  ],
  [/plaid|tartan|madras|lumber|glen/, plaid],
  [
    /argyle|harlequin/,
    (_, [a, b]) => ({
      width: 8,
      height: 12,
      body:
        path('M4 0L8 6L4 12L0 6Z', { fill: a }) +
        path('M0 0L8 12M8 0L0 12', { stroke: b, 'stroke-width': 0.25, fill: 'none' }),
    }),
  ],
  [/houndstooth|dogtooth|pied/, houndstooth],
  [
    /check/,
    (_, [a, b]) => ({
      width: 6,
      height: 6,
      body:
        rect(0, 0, 3, 6, a, 0.45) +
        rect(0, 0, 6, 3, a, 0.45) +
        rect(4.3, 0, 0.3, 6, b, 0.7) +
        rect(0, 4.3, 6, 0.3, b, 0.7),
    }),
  ],
  [
    /polka|dot|spot/,
    (_, [a]) => ({ width: 4.4, height: 4.4, body: dot(1.1, 1.1, 0.72, a) + dot(3.3, 3.3, 0.72, a) }),
  ],
  [/paisley|kalamkari/, paisley],
  [/zebra|tiger/, zebra],
  [/leopard|animal|cheetah|snake|python/, leopard],
  [/ikat|patola|pochampally|aztec/, ikat],
  [/block|buti|butta|ajrakh|bagru|sanganeri|bandh|ethnic|tribal/, buti],
  [/floral|flower|botanical|rose|blossom|leaf|tropical|garden/, floral],
  [/camo/, camouflage],
  [
    /herringbone|chevron|zig ?zag|leheriya/,
    (_, [a]) => ({
      width: 4,
      height: 3,
      body: path('M0 2.4L2 .4L4 2.4', { fill: 'none', stroke: a, 'stroke-width': 0.62 }),
    }),
  ],
  [/geometric|abstract|art deco|mosaic|triang|diamond/, geometric],
];

/** Default print colours: a counterpart of the ground, a colour near it, and a quiet third. */
function printColours({ colour, accents }: Fabric): [string, string, string] {
  const [l, a, b] = toLab(parseHex(colour));
  const grey = Math.hypot(a, b) < 9;
  const first =
    l < 55
      ? grey
        ? '#efe7d8'
        : blend('#f4ebda', colour, 0.1)
      : grey
        ? '#2c3144'
        : shade(colour, -Math.max(30, l * 0.45), 1.1);
  const second = l < 55 ? (a > 8 ? '#e3b36a' : '#d98b7c') : a > 8 ? '#f5ecdc' : '#c0584d';
  const third = l < 55 ? shade(colour, 24) : blend(colour, '#ffffff', 0.6);
  return [accents[0] ?? first, accents[1] ?? second, accents[2] ?? third];
}

/** The print's repeat in centimetres; undefined for plain cloth. */
export function patternTile(fabric: Fabric, random: SeededRandom): Tile | undefined {
  const { pattern, colour } = fabric;
  if (pattern === '' || /solid|plain|none|ombr|gradient/.test(pattern)) return undefined;
  const draw = PATTERNS.find(([words]) => words.test(pattern))?.[1] ?? motif;
  return draw(colour, printColours(fabric), random.fork('print'));
}

/** Cloth whose colour changes into another one toward the bottom. */
export const isOmbre = (pattern: string): boolean => /ombr|gradient|dip/.test(pattern);
