import { lightness } from '../../drawing/colour.js';
import { path } from '../../drawing/svg-sheet.js';
import { type Cloth } from '../cloth.js';
import { type Trim } from '../frame.js';
import { borderColour } from './sewing.js';

/** A spray of flowers in thread, as in the middle of a hand-embroidered yoke. */
export function embroidery(cloth: Cloth, x: number, y: number, size: number): string {
  const gold = borderColour(cloth);
  const second = cloth.fabric.accents[1] ?? (lightness(cloth.fabric.colour) > 55 ? '#a8443f' : '#f0e2c6');
  const petal = (turn: number, r: number, fill: string): string =>
    path(
      `M0 0C${-r * 0.5} ${-r * 0.3} ${-r * 0.5} ${-r * 0.8} 0 ${-r}C${r * 0.5} ${-r * 0.8} ${r * 0.5} ${-r * 0.3} 0 0Z`,
      { fill, transform: `rotate(${turn})` },
    );
  const flower = (fx: number, fy: number, r: number): string =>
    `<g transform="translate(${(x + fx * size).toFixed(2)} ${(y + fy * size).toFixed(2)})">${[0, 60, 120, 180, 240, 300].map((t) => petal(t, r * size, gold)).join('')}<circle r="${(r * size * 0.3).toFixed(2)}" fill="${second}"/></g>`;
  const vine = (s: number): string =>
    path(
      `M${x} ${y}c${s * size * 0.5} ${size * 0.1} ${s * size * 0.9} ${-size * 0.2} ${s * size * 1.3} ${size * 0.25}`,
      { fill: 'none', stroke: gold, 'stroke-width': (size * 0.06).toFixed(2) },
    );
  return (
    vine(1) +
    vine(-1) +
    flower(0, 0, 0.42) +
    flower(0.85, 0.02, 0.3) +
    flower(-0.85, 0.02, 0.3) +
    flower(1.35, 0.3, 0.2) +
    flower(-1.35, 0.3, 0.2) +
    flower(0, 0.62, 0.24)
  );
}

/** Trims that are only decoration. */
export const ORNAMENTS: Readonly<Record<string, Trim>> = {
  embroidery: (c, f) =>
    f.neck[1] > f.top
      ? embroidery(c, 0, Math.max(f.neck[1] + 9, 20), 8)
      : embroidery(c, f.half((f.waist + f.hem) / 2) * 0.4, f.hem - 18, 5),
  sequins: (c, f) =>
    Array.from({ length: 90 }, () => {
      const y = c.random.between(f.top + 16, f.hem - 2);
      const x = c.random.between(-1, 1) * f.half(Math.max(26, y)) * 0.9;
      return `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${c.random.between(0.25, 0.55).toFixed(2)}" fill="#fff8e0" fill-opacity=".85"/>`;
    }).join(''),
  fringe: (c, f) =>
    Array.from({ length: 41 }, (_, i) => {
      const u = i / 20 - 1;
      return (
        path(
          `M${(u * f.half(f.hem)).toFixed(1)} ${(f.hem + 1.4 * (1 - u * u)).toFixed(1)}q${c.random.wobble(0.7).toFixed(2)} 3 ${c.random.wobble(0.7).toFixed(2)} 6.4`,
          { fill: 'none', stroke: c.fabric.colour, 'stroke-width': 0.7 },
        ) +
        path(`M${(u * f.half(f.hem) + 0.4).toFixed(1)} ${(f.hem + 1.4).toFixed(1)}v6`, {
          fill: 'none',
          stroke: c.line,
          'stroke-width': 0.16,
          'stroke-opacity': 0.6,
        })
      );
    }).join(''),
};
