import type { Framing } from '../dressing/framing.js';
import { frame } from '../scene.js';
import { onlyUpper, type Outfit } from './outfit.js';
import type { ShotFraming, ShotRecipe } from './shot.js';
import type { Canvas } from './subject.js';

/** The part of the figure that the picture shows. */
export interface View {
  readonly framing: Framing;
  readonly shows: ShotFraming;
  /** Height of the soles in pixels; absent if the picture ends above the feet. */
  readonly floor?: number;
}

/** Height of the soles in figure units. */
export const SOLES = 892;

/** The view of a framing. Only a full-length figure stands on a visible floor. */
export const seen = (framing: Framing, shows: ShotFraming): View => ({
  framing,
  shows,
  ...(shows === 'full' ? { floor: framing.y + SOLES * framing.scale } : {}),
});

/** The usual picture of a garment: tops are shown to the thigh, everything else from head to foot. */
export function usualView(outfit: Outfit, { width, height }: Canvas): View {
  if (!onlyUpper(outfit)) return seen(frame(width, height, 0, 900, 0.875, 0.068), 'full');
  const bottom = Math.max(600, outfit.hem + 120);
  return seen(frame(width, height, 0, bottom, 0.95, 0.075), 'three_quarter');
}

/**
 * Upper edge and height (figure units) of a detail: the chest for an upper garment, the waist for a lower one.
 */
const detail = ({ worn }: Outfit): readonly [number, number] =>
  worn.length === 0 || worn.some(({ fit }) => !['skirt', 'trousers', 'shorts'].includes(fit.garmentClass))
    ? [106, 300]
    : [262, 330];

/** The recipe's view. A low camera puts the subject high in the picture, a high one low. */
export function viewOf(outfit: Outfit, shot: ShotRecipe, canvas: Canvas): View {
  const { width, height } = canvas;
  const lift = { low: -0.018, waist: -0.008, chest: 0, eye: 0.006, high: 0.016 }[shot.cameraHeight];
  const at = (top: number): number => top + lift + shot.crop.headroom;
  const view = ((): Framing => {
    switch (shot.framing) {
      case 'full':
        return frame(width, height, 0, 900, 0.845, at(0.08));
      case 'three_quarter':
        return frame(width, height, 0, Math.max(630, outfit.hem < 640 ? outfit.hem + 60 : 0), 0.93, at(0.08));
      case 'half':
        return frame(width, height, 0, 440, 0.9, at(0.11));
      case 'detail': {
        const [top, tall] = detail(outfit);
        return frame(width, height, top, top + tall, 1, shot.crop.headroom);
      }
      default: {
        const unknown: never = shot.framing;
        throw new RangeError(`no such framing: ${String(unknown)}`);
      }
    }
  })();
  return seen({ ...view, x: view.x + shot.crop.offset * width }, shot.framing);
}

/** The same view with the figure on another middle line, where the place has room for it. */
export const standingAt = (view: View, x: number): View => ({ ...view, framing: { ...view.framing, x } });
