import { path } from '../drawing/svg-sheet.js';

/** Digits and the K of kelvin as strokes on a 10 × 14 grid, so that no font of the machine is needed. */
const STROKES: Readonly<Record<string, string>> = {
  '0': 'M5 0C1.8 0 0.6 3 0.6 7C0.6 11 1.8 14 5 14C8.2 14 9.4 11 9.4 7C9.4 3 8.2 0 5 0',
  '1': 'M2 3L5.6 0V14',
  '2': 'M0.8 3.6C1 1.4 2.6 0 5 0C7.4 0 9.2 1.4 9.2 3.8C9.2 7.4 1 10 0.8 14H9.4',
  '3': 'M1 2.4C1.8 0.8 3.2 0 5 0C7.4 0 9 1.2 9 3.4C9 5.6 7.2 6.8 4.6 6.8C7.4 6.8 9.4 8 9.4 10.4C9.4 12.6 7.6 14 5 14C2.8 14 1.2 13 0.6 11.2',
  '4': 'M7.2 14V0L0.6 9.8H9.8',
  '5': 'M8.8 0H2L1.4 6.2C2.4 5.4 3.6 5 5 5C7.6 5 9.4 6.8 9.4 9.4C9.4 12.2 7.6 14 5 14C2.8 14 1.2 13 0.6 11.4',
  '6': 'M8.6 1.6C7.8 0.6 6.6 0 5.4 0C2.2 0 0.6 3.4 0.6 8C0.6 11.8 2.2 14 5 14C7.6 14 9.4 12.2 9.4 9.6C9.4 7 7.6 5.4 5.2 5.4C2.8 5.4 0.8 7 0.6 9',
  '7': 'M0.8 0H9.4L4 14',
  '8': 'M5 6.6C2.6 6.6 1.2 5.4 1.2 3.4C1.2 1.4 2.8 0 5 0C7.2 0 8.8 1.4 8.8 3.4C8.8 5.4 7.4 6.6 5 6.6C2.2 6.6 0.6 8 0.6 10.4C0.6 12.6 2.4 14 5 14C7.6 14 9.4 12.6 9.4 10.4C9.4 8 7.8 6.6 5 6.6',
  '9': 'M1.4 12.4C2.2 13.4 3.4 14 4.6 14C7.8 14 9.4 10.6 9.4 6C9.4 2.2 7.8 0 5 0C2.4 0 0.6 1.8 0.6 4.4C0.6 7 2.4 8.6 4.8 8.6C7.2 8.6 9.2 7 9.4 5',
  K: 'M1 0V14M9 0L1 8.4M4 5.4L9.4 14',
};

/** Writes digits with a pen. `x`, `y` is the upper left corner and `size` the height, in pixels. */
export function writeFigures(text: string, x: number, y: number, size: number, colour: string): string {
  const scale = size / 14;
  return [...text]
    .map((letter, index) =>
      path(STROKES[letter] ?? '', {
        transform: `translate(${(x + index * 14 * scale).toFixed(1)} ${y.toFixed(1)}) scale(${scale.toFixed(4)})`,
        fill: 'none',
        stroke: colour,
        'stroke-width': 1.5,
        'stroke-linecap': 'round',
        'stroke-linejoin': 'round',
      }),
    )
    .join('');
}
