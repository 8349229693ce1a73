import { clamp, lerp } from './geometry.js';

/** sRGB channels, 0–255. */
export type Rgb = readonly [r: number, g: number, b: number];
/** CIE L*a*b*, D65: L 0–100. */
export type Lab = readonly [l: number, a: number, b: number];

export const parseHex = (hex: string): Rgb => {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
};

export const toHex = (rgb: Rgb): string =>
  `#${rgb
    .map((c) =>
      Math.round(clamp(c, 0, 255))
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;

const LINEAR = Float64Array.from({ length: 256 }, (_, i) => {
  const c = i / 255;
  return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
});

const linear = (channel: number): number => LINEAR[Math.round(clamp(channel, 0, 255))] ?? 0;

const fold = (t: number): number => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);

export function toLab([red, green, blue]: Rgb): Lab {
  const [r, g, b] = [linear(red), linear(green), linear(blue)];
  const x = fold((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047);
  const y = fold(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const z = fold((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

export function fromLab([l, a, b]: Lab): Rgb {
  const y = (l + 16) / 116;
  const unfold = (t: number): number => (t ** 3 > 0.008856 ? t ** 3 : (t - 16 / 116) / 7.787);
  const [x, yy, z] = [unfold(y + a / 500) * 0.95047, unfold(y), unfold(y - b / 200) * 1.08883];
  const gamma = (c: number): number =>
    255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * Math.max(0, c) ** (1 / 2.4) - 0.055);
  return [
    clamp(gamma(3.2406 * x - 1.5372 * yy - 0.4986 * z), 0, 255),
    clamp(gamma(-0.9689 * x + 1.8758 * yy + 0.0415 * z), 0, 255),
    clamp(gamma(0.0557 * x - 0.204 * yy + 1.057 * z), 0, 255),
  ];
}

/** Mixes in Lab, where half-way looks half-way. */
export function blend(from: string, to: string, t: number): string {
  const [a, b] = [toLab(parseHex(from)), toLab(parseHex(to))];
  return toHex(fromLab([lerp(a[0], b[0], t), lerp(a[1], b[1], t), lerp(a[2], b[2], t)]));
}

/** Moves lightness by `steps` (L* units) and scales the chroma. */
export function shade(hex: string, steps: number, chroma = 1): string {
  const [l, a, b] = toLab(parseHex(hex));
  return toHex(fromLab([clamp(l + steps, 2, 99), a * chroma, b * chroma]));
}

export const lightness = (hex: string): number => toLab(parseHex(hex))[0];
