import type { FigureSpec } from '../casting/figure-spec.js';
import type { HairPainter } from './hair-painter.js';
import { drawLoose, drawBob } from './loose.js';
import { drawBraids, drawBun, drawPonytail } from './tied.js';
import { drawBuzz, drawCloud, drawCurlyTop } from './textured.js';
import { drawCrop, drawPixie, drawSidePart, drawSweptBack } from './short.js';

const PAINTERS: Record<FigureSpec['hair']['style'], HairPainter> = {
  long_loose: drawLoose,
  bob: drawBob,
  bun: drawBun,
  ponytail: drawPonytail,
  cloud: drawCloud,
  braids: drawBraids,
  pixie: drawPixie,
  crop: drawCrop,
  side_part: drawSidePart,
  swept_back: drawSweptBack,
  curly_top: drawCurlyTop,
  buzz: drawBuzz,
};

/** Styles that leave the ears free. */
export const EARS_SHOW: ReadonlySet<FigureSpec['hair']['style']> = new Set([
  'bun',
  'ponytail',
  'pixie',
  'crop',
  'side_part',
  'swept_back',
  'curly_top',
  'buzz',
  'braids',
] as const);

export const drawHair: HairPainter = (pens, frame, spec) => PAINTERS[spec.hair.style](pens, frame, spec);
