import { path } from '../drawing/svg-sheet.js';

/** Pen, paper and colours of cards and sheets. */
export const INK = '#4a433d';
export const PAPER = '#f5f1e8';

/** The light's colour by convention: amber below daylight, blue above. */
export function lightColour(kelvin: number): string {
  if (kelvin < 4600) return '#f0a64a';
  if (kelvin < 5800) return '#f3cf86';
  return kelvin < 7200 ? '#f2e9cf' : '#a9c8ea';
}

export const line = (d: string, width = 2.2, more: Record<string, string | number> = {}): string =>
  path(d, {
    fill: 'none',
    stroke: INK,
    'stroke-width': width,
    'stroke-linecap': 'round',
    'stroke-linejoin': 'round',
    ...more,
  });
