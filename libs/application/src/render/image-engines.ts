import type { ImageEngine } from '@atelier/engine';
import type { ModelledBody } from '#platform/image-models.js';

/** The engines of this installation. */
export abstract class ImageEngines {
  /**
   * The engine that draws the image model which a job's body names, or the installation's first model where it names none.
   * @throws EngineError `misconfigured` for a model that was there at dispatch and is no longer
   */
  abstract engineFor(body: ModelledBody): ImageEngine;
}
