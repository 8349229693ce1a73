import { FRAMINGS } from './camera.js';
import type { DrawnScene } from './draw-scene.js';
import type { SceneSpec } from './scene-spec.js';

/** A rectangle in shares of the picture. */
export interface CropBox {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

const rounded = (value: number): number => Math.round(value * 10000) / 10000;

/**
 * Where each supported crop lies in a drawn scene: the rectangle of the picture's own shape that frames a standing person
 * as that crop does. A crop is never wider than the picture.
 */
export function crops(spec: SceneSpec, scene: DrawnScene): Record<string, CropBox> {
  return Object.fromEntries(
    spec.crops.map((crop) => {
      const wanted = FRAMINGS[crop];
      const share = Math.min(1, scene.subjectHeight / wanted.subject);
      const head = scene.floorLine - scene.subjectHeight;
      const top = Math.max(0, Math.min(1 - share, head - (wanted.floorLine - wanted.subject) * share));
      const left = Math.max(0, Math.min(1 - share, scene.subjectX - share / 2));
      return [
        crop,
        { left: rounded(left), top: rounded(top), width: rounded(share), height: rounded(share) },
      ];
    }),
  );
}
