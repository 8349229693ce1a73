import { EngineError, type PictureMeta, type RenderRequest } from '@atelier/engine';
import type { CanvasSize } from '../canvas-size.js';
import { drawnPlace, placeFor, type Place } from '../composition/setting.js';
import { isOpen } from '../scenery/draw-scene.js';
import {
  sceneFacts,
  sceneFields,
  sceneFromWords,
  sceneSpecOf,
  type SceneWords,
} from '../scenery/scene-spec-from.js';
import type { Placement } from './placement.js';

/** The place that a subject moves to. */
export interface NewPlace {
  /** The facts about it for the picture's meta. */
  readonly about: PictureMeta;
  /** Whether it lacks a wall for a thing to hang on. */
  readonly open: boolean;
  /** Draws or fits it for the view of the subject. */
  seen(size: CanvasSize, subject: Pick<Placement, 'view' | 'eye'>): Promise<Place>;
}

export interface ImagePlaceOrder {
  readonly background_image_public_id: string;
}

/**
 * The place of `background_image`. A described scene is drawn for the new picture; any other picture is fitted
 * to it.
 * @throws EngineError `bad_input` when there is none
 */
export function placeOfImage({ inputs, body, seed }: RenderRequest<ImagePlaceOrder>): NewPlace {
  const background = inputs.find((input) => input.name === 'background_image');
  if (!background)
    throw new EngineError(
      'bad_input',
      'background_image is missing. Name the background to put the subject into.',
    );
  const spec = sceneSpecOf(background.meta, seed);
  return {
    about: {
      background_image_public_id: body.background_image_public_id,
      ...(spec ? { scene: sceneFields(spec), topology: spec.topology.preset, light: spec.light.preset } : {}),
    },
    open: spec !== undefined && isOpen(spec),
    seen: (size, { view, eye }) => placeFor(background, seed, size, view, eye),
  };
}

/** A place drawn from `scene_type`, `mood` and `dominant_colors`. */
export function placeOfWords({ body, seed }: RenderRequest<SceneWords>): NewPlace {
  const spec = sceneFromWords(body, seed);
  return {
    about: sceneFacts(spec),
    open: isOpen(spec),
    seen: (size, { view, eye }) => drawnPlace(spec, size, view, eye),
  };
}
