import { Global, Module } from '@nestjs/common';
import {
  EngineError,
  ImageEngine,
  type EngineRequest,
  type RenderContext,
  type Renderers,
  type RenderResult,
} from '@atelier/engine';
import { PhotoEngine, useSegmentationModel } from '@atelier/photo';
import { SketchEngine, sketchRenderers } from '@atelier/sketch';
import { grounds } from '@atelier/sketch/grounds';
import { ImageEngines } from '#application/render/engine-run.js';
import { Configuration } from '#platform/configuration.js';
import { modelFor, type ImageModel, type ImageModelFamily } from '#platform/image-models.js';
import type { WorkflowBodies } from '#workflows/workflows.js';

/** The engine of a family of image models: it has a renderer for every workflow, which takes the body of that workflow. */
interface Engine {
  readonly renderers: Renderers<WorkflowBodies>;
  open(): ImageEngine;
}

/** What an installation without a vendor has: background swaps of photographs of people, and drawings of everything else. */
export class SandboxEngine extends ImageEngine {
  readonly name = 'sketch';
  private readonly sketch = new SketchEngine();
  private readonly photo = new PhotoEngine(grounds);

  async render(request: EngineRequest, context: RenderContext): Promise<RenderResult> {
    context.signal.throwIfAborted();
    const engine = (await this.photo.serves(request)) ? this.photo : this.sketch;
    return engine.render(request, context);
  }
}

/** Every engine there is. To add one: a line here, and its family in `image-models.ts`. */
const engines: Readonly<Record<ImageModelFamily, Engine>> = {
  sketch: { renderers: sketchRenderers, open: () => new SandboxEngine() },
};

/** Opens an engine for each family that the models are of. */
export function openEngines(models: readonly ImageModel[]): ImageEngines {
  const families = new Set(models.map(({ family }) => family));
  const opened = new Map([...families].map((family) => [family, engines[family].open()]));
  return {
    engineFor(body) {
      const model = modelFor(models, body);
      const engine = model && opened.get(model.family);
      if (engine) return engine;
      throw new EngineError('misconfigured', 'The image model of this job is not available any more.');
    },
  };
}

@Global()
@Module({
  providers: [
    {
      provide: ImageEngines,
      inject: [Configuration],
      useFactory: ({ imageModels, photoSegmentationModel }: Configuration): ImageEngines => {
        if (photoSegmentationModel) useSegmentationModel(photoSegmentationModel);
        return openEngines(imageModels);
      },
    },
  ],
  exports: [ImageEngines],
})
export class EnginesModule {}
