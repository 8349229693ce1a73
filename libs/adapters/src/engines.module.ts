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
import {
  ImageModelChoice,
  type ImageModel,
  type ModelFamily,
  type ModelList,
} from '#platform/image-models.js';
import type { WorkflowBodies } from '#workflows/workflows.js';

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

/** How the engine of a model is opened, by the model's family. To add one: a line here, and its family in `image-models.ts`. */
const families: Readonly<Record<ModelFamily, (model: ImageModel) => ImageEngine>> = {
  sketch: () => new SandboxEngine(),
};

// The sandbox draws from the body: it has a renderer for every workflow, which takes the body of that workflow.
void (sketchRenderers satisfies Renderers<WorkflowBodies>);

/** Opens an engine for each model, when its first job comes. */
export function openEngines(list: ModelList): ImageEngines {
  const choice = new ImageModelChoice(list);
  const opened = new Map<string, ImageEngine>();
  return {
    engineFor({ imageModel, operation, tenant, request }) {
      // A job that was queued before models were chosen at dispatch says it in its body, if at all.
      const model =
        imageModel === undefined ? choice.asked(request, operation, tenant) : choice.find(imageModel);
      if (!model)
        throw new EngineError('misconfigured', 'The image model of this job is not available any more.');
      const engine = opened.get(model.id) ?? families[model.family](model);
      opened.set(model.id, engine);
      return engine;
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
