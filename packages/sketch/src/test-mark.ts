import { element, group, path } from './drawing/svg-sheet.js';

/** The four letters as strokes on a 10 × 14 grid: no font of the machine is relied on. */
const LETTERS: Readonly<Record<string, string>> = {
  T: 'M0 0H10M5 0V14',
  E: 'M9.4 0H0.6V14H9.4M0.6 7H7.6',
  S: 'M9.4 2.2C8.4 0.6 6.8 0 5 0C2.4 0 0.6 1.4 0.6 3.6C0.6 8.2 9.6 5.6 9.6 10.4C9.6 12.6 7.6 14 5 14C3 14 1.2 13.2 0.4 11.6',
};

/** A small ribbon across the upper right corner that says TEST. Pixels. */
export function drawTestMark(width: number, height: number): string {
  const unit = Math.min(width, height) / 100;
  const letter = (name: string, index: number): string =>
    path(LETTERS[name] ?? '', {
      transform: `translate(${index * 16} 0)`,
      fill: 'none',
      stroke: '#fdf8f0',
      'stroke-width': 2.1,
      'stroke-linecap': 'round',
      'stroke-linejoin': 'round',
    });
  const word = ['T', 'E', 'S', 'T'].map(letter).join('');
  const ribbon = [
    element('rect', {
      x: -22 * unit,
      y: -3.4 * unit,
      width: 44 * unit,
      height: 6.8 * unit,
      fill: '#a2433c',
      'fill-opacity': 0.9,
    }),
    element('rect', {
      x: -22 * unit,
      y: -2.8 * unit,
      width: 44 * unit,
      height: 0.25 * unit,
      fill: '#fdf8f0',
      'fill-opacity': 0.7,
    }),
    element('rect', {
      x: -22 * unit,
      y: 2.55 * unit,
      width: 44 * unit,
      height: 0.25 * unit,
      fill: '#fdf8f0',
      'fill-opacity': 0.7,
    }),
    group({ transform: `scale(${(unit * 0.235).toFixed(4)}) translate(-29 -7)` }, word),
  ];
  return group({ transform: `translate(${width - 10 * unit} ${10 * unit}) rotate(45)` }, ...ribbon);
}
