import { clamp } from '../drawing/geometry.js';
import type { View } from '../composition/view.js';
import { SOLES } from '../composition/view.js';
import type { Canvas } from '../composition/subject.js';
import type { SourceSubject } from './source-subject.js';

/** The subject's place on the new sheet, in its pixels. */
export interface Placement {
  /** New pixels per pixel of the source. */
  readonly scale: number;
  readonly left: number;
  readonly top: number;
  /**
   * How the subject rests: it stands on the floor, runs out of the picture's edge, hangs in front of a wall, or
   * hangs in the open air.
   */
  readonly rests: 'floor' | 'edge' | 'wall' | 'air';
  /** The camera for drawing the place, in terms of a figure. */
  readonly view: View;
  /** Height of the camera, metres. */
  readonly eye: number;
}

/** Height of a figure in figure units. A view's scale is in pixels per unit. */
const FIGURE = 900;

/** The view of a figure with these soles and this height, in pixels of the sheet. */
export const viewAt = (canvas: Canvas, soles: number, stature: number, shows: View['shows']): View => {
  const scale = stature / FIGURE;
  return {
    framing: { scale, x: canvas.width / 2, y: soles - SOLES * scale },
    shows,
    ...(soles < canvas.height ? { floor: soles } : {}),
  };
};

/** A person whose feet are in the picture stays as tall as in the source, if the background has room. */
function standing({ cut, picture }: SourceSubject, canvas: Canvas): Placement {
  const { box } = cut;
  const share = clamp(box.height / picture.height, 0.62, 0.86);
  const scale = Math.min((share * canvas.height) / box.height, (canvas.width * 0.92) / box.width);
  const height = box.height * scale;
  const soles = canvas.height * clamp(1 - (1 - height / canvas.height) * 0.42, 0.9, 0.945);
  return {
    scale,
    left: (canvas.width - box.width * scale) / 2,
    top: soles - height,
    rests: 'floor',
    view: viewAt(canvas, soles, height, 'full'),
    eye: 1.1,
  };
}

/**
 * A person who is cut off by the lower edge: the new edge cuts at the same place, and the view is equally
 * close.
 */
function cutOff({ cut, picture, crown, stature }: SourceSubject, canvas: Canvas): Placement {
  const { box } = cut;
  const scale = Math.min(canvas.height / picture.height, (canvas.width * 0.98) / box.width);
  const top = canvas.height - (picture.height - box.top) * scale;
  // An off-centre subject stays off-centre, if the new sheet is broad enough.
  const wished =
    canvas.width / 2 + (box.left + box.width / 2 - picture.width / 2) * scale - (box.width * scale) / 2;
  const head = top + (crown - box.top) * scale;
  const tall = stature * scale;
  const shown = (canvas.height - head) / tall;
  const shows = shown > 0.6 ? 'three_quarter' : shown > 0.33 ? 'half' : 'detail';
  return {
    scale,
    left: clamp(
      wished,
      Math.min(0, canvas.width - box.width * scale),
      Math.max(0, canvas.width - box.width * scale),
    ),
    top,
    rests: 'edge',
    view: viewAt(canvas, head + tall, tall, shows),
    eye: 1.3,
  };
}

/** Places a thing. A broad thing stands on the floor; a tall one hangs in front of the wall like a garment. */
function thing({ cut }: SourceSubject, canvas: Canvas, open: boolean): Placement {
  const { box } = cut;
  const broad = box.height / box.width < 0.66;
  const scale = Math.min(
    ((broad ? 0.5 : 0.64) * canvas.height) / box.height,
    (canvas.width * 0.72) / box.width,
  );
  const [width, height] = [box.width * scale, box.height * scale];
  const left = (canvas.width - width) / 2;
  if (broad) {
    const soles = canvas.height * 0.84;
    const view = viewAt(canvas, soles, canvas.height * 1.35, 'full');
    return { scale, left, top: soles - height, rests: 'floor', view, eye: 0.9 };
  }
  const top = canvas.height * 0.48 - height / 2;
  return {
    scale,
    left,
    top,
    rests: open ? 'air' : 'wall',
    view: viewAt(canvas, canvas.height * 1.3, canvas.height * 1.2, 'three_quarter'),
    eye: 1.2,
  };
}

/** @param open the place has no wall near the subject */
export function placementOf(subject: SourceSubject, canvas: Canvas, open: boolean): Placement {
  if (subject.kind === 'product') return thing(subject, canvas, open);
  return subject.cropped ? cutOff(subject, canvas) : standing(subject, canvas);
}

/** The same on a sheet where the subject stands elsewhere. */
export const movedTo = (placement: Placement, by: number): Placement => ({
  ...placement,
  left: placement.left + by,
});
