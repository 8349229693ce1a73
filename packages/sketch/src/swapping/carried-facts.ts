import { isFacts, type Facts } from '../facts.js';
import type { Canvas } from '../composition/subject.js';
import type { Placement } from './placement.js';
import type { SourceSubject } from './source-subject.js';

/** Facts about the old place, or about the old picture itself. They do not carry over. */
const OF_THE_PLACE = new Set([
  'scene',
  'backdrop',
  'setting',
  'topology',
  'ground',
  'light',
  'palette',
  'anchors',
  'unknown_anchors',
  'supported_crops',
  'crops',
  'floor_line',
  'subject_height',
  'subject_x',
  'evaluation',
  'aspect_ratio',
  'resolution',
  'seed',
]);

const share = (value: number): number => Math.round(value * 10_000) / 10_000;

/** Moves positions in the picture with the subject. Both are in shares of the picture's height. */
function moved(
  meta: Facts,
  { picture, cut }: SourceSubject,
  { scale, left, top }: Placement,
  { width, height }: Canvas,
): Facts {
  const grown = (scale * picture.height) / height;
  const [dx, dy] = [left - cut.box.left * scale, top - cut.box.top * scale];
  const view = meta['view'];
  const outlines = meta['silhouettes'];
  const flat = (line: unknown): unknown =>
    Array.isArray(line)
      ? line.map((v, i) =>
          typeof v === 'number' ? Math.round(v * grown + (1000 * (i % 2 ? dy : dx)) / height) : v,
        )
      : line;
  const number = (fields: Facts, name: string): number =>
    typeof fields[name] === 'number' ? fields[name] : 0;
  return {
    ...(isFacts(view)
      ? {
          view: {
            ...view,
            scale: share(number(view, 'scale') * grown),
            x: share(
              (dx + scale * (picture.width / 2 + number(view, 'x') * picture.height) - width / 2) / height,
            ),
            y: share(number(view, 'y') * grown + dy / height),
          },
        }
      : {}),
    ...(isFacts(outlines)
      ? {
          silhouettes: Object.fromEntries(
            Object.entries(outlines).map(([name, lines]) => [
              name,
              Array.isArray(lines) ? lines.map(flat) : lines,
            ]),
          ),
        }
      : {}),
  };
}

/** The known facts about the subject, for its picture in the new place. */
export function carriedFacts(
  meta: Facts | undefined,
  subject: SourceSubject,
  placement: Placement,
  canvas: Canvas,
): Facts {
  if (!meta) return {};
  const kept = Object.fromEntries(Object.entries(meta).filter(([name]) => !OF_THE_PLACE.has(name)));
  return { ...kept, ...moved(meta, subject, placement, canvas) };
}
