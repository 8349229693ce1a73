import { hypot, median, most, sqrt, within } from '../reading/arithmetic.js';
import type { LabColour, LabPlanes } from './lab-planes.js';
import { components, open, type Mask } from './mask.js';

/**
 * Hues from pink to yellow at moderate chroma, which all skin tones have. Cloth and brick can have them, too.
 */
function looksLikeSkin(l: number, a: number, b: number): boolean {
  const chroma = sqrt(a * a + b * b);
  if (l < 11 || l > 94 || chroma < 7.5 || chroma > 46) return false;
  // The hue lies between 20 and 84 degrees. The test uses slopes, because computing an angle for every pixel is
  // costly.
  return a > 0 && b > 0.364 * a && b < 9.51 * a;
}

/** 1 where a pixel could be skin by its colour alone. */
function skinCandidates({ l, a, b }: LabPlanes): Uint8Array {
  return Uint8Array.from(l, (value, i) => (looksLikeSkin(value, a[i] ?? 0, b[i] ?? 0) ? 1 : 0));
}

/** The median colour, channel by channel, of the pixels in `wanted`. */
function medianColour(planes: LabPlanes, wanted: Iterable<number>): LabColour | undefined {
  const chosen = [...wanted];
  if (chosen.length === 0) return undefined;
  const of = (plane: Float32Array): number => median(chosen.map((i) => plane[i] ?? 0));
  return [of(planes.l), of(planes.a), of(planes.b)];
}

/** How much farther than measured a colour may lie from a skin tone. */
const EASE = 1.3;

/** 1 where the colour fits this skin tone in light or shade: lightness may vary more than hue. */
function skinOfTone({ l, a, b }: LabPlanes, [tl, ta, tb]: LabColour): Uint8Array {
  const widest = ((3.8 + 0.12 * hypot(ta, tb)) * EASE) ** 2;
  const deepest = within(tl * 0.42, 9, 26) * EASE;
  return Uint8Array.from(l, (value, i) => {
    const fall = value - tl;
    // Colour fades with the light.
    const faded = fall > 0 ? 1 : most(0.75, 1 + fall / 90);
    const da = (a[i] ?? 0) - ta * faded;
    const db = (b[i] ?? 0) - tb * faded;
    return fall < 15 * EASE && fall > -deepest && da * da + db * db < widest ? 1 : 0;
  });
}

/**
 * Whether a subject has the bare arms and legs of a person whose head the picture cuts off. They are several
 * narrow patches of one skin colour, and together the smaller part of the subject. A garment of a skin-like
 * colour is one broad patch, and prints are small.
 */
export function hasLimbs(planes: LabPlanes, subject: Mask): boolean {
  const { width, height } = subject;
  const size = subject.data.reduce((sum, v) => sum + v, 0);
  const like = skinCandidates(planes);
  const wanted = subject.data.map((v, i) => (v && like[i] ? 1 : 0));
  const tone = medianColour(
    planes,
    [...wanted.keys()].filter((i) => wanted[i]),
  );
  if (!tone) return false;
  const own = skinOfTone(planes, tone);
  const data = wanted.map((v, i) => (v && own[i] ? 1 : 0));
  const mask = open({ data, width, height }, 1);
  const { labels, list } = components(mask, 1);
  const breadth = breadthsOf(labels, list.length, width);
  const whole = Math.max(...breadthsOf(Int32Array.from(subject.data), 1, width));
  const limbs = list.filter((c) => c.area > size * 0.012 && (breadth[c.label - 1] ?? 0) < whole * 0.42);
  const area = limbs.reduce((sum, c) => sum + c.area, 0);
  const all = data.reduce((sum, v) => sum + v, 0);
  return limbs.length > 1 && area > size * 0.05 && area < size * 0.5 && area > all * 0.7;
}

/** Each region's breadth in pixels, in the order of the labels. */
function breadthsOf(labels: Int32Array, count: number, width: number): number[] {
  const spans = Array.from({ length: count }, () => [width, 0]);
  for (let i = 0; i < labels.length; i++) {
    const span = spans[(labels[i] ?? 0) - 1];
    if (!span) continue;
    const x = i % width;
    span[0] = Math.min(span[0] ?? width, x);
    span[1] = Math.max(span[1] ?? 0, x);
  }
  return spans.map(([from = 0, to = 0]) => to - from + 1);
}
