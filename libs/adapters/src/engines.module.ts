import { Global, Module } from '@nestjs/common';
import {
  EngineError,
  ImageEngine,
  type EngineRequest,
  type EngineContext,
  type Renderers,
  type RenderResult,
} from '@atelier/engine';
import { PhotoEngine, useSegmentationModel } from '@atelier/photo';
import { SketchEngine, sketchRenderers } from '@atelier/sketch';
import { grounds, testMarkSvg } from '@atelier/sketch/grounds';
import { VendorEngine, type ImageVendor, type VendorModel } from '@atelier/vendors';
import { ImageEngines } from '#application/render/engine-run.js';
import { Configuration, ConfigurationError, settingOf } from '#platform/configuration.js';
import {
  ImageModelChoice,
  isRemote,
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

  async render(request: EngineRequest, context: EngineContext): Promise<RenderResult> {
    context.signal.throwIfAborted();
    const engine = (await this.photo.serves(request)) ? this.photo : this.sketch;
    return engine.render(request, context);
  }
}

/** Each family's vendor, loaded when the first picture of a model is asked for. */
const vendors: Readonly<
  Record<Exclude<ModelFamily, 'sketch'>, (model: VendorModel) => Promise<ImageVendor>>
> = {
  openai: async (model) => new (await import('@atelier/vendors/openai')).OpenAiVendor(model),
  fal: async (model) => new (await import('@atelier/vendors/fal')).FalVendor(model),
};

// The sandbox draws from the body: it has a renderer for every workflow, which takes the body of that workflow.
void (sketchRenderers satisfies Renderers<WorkflowBodies>);

export async function openVendor(model: ImageModel, currency: string): Promise<ImageVendor> {
  if (model.family === 'sketch') throw new RangeError(`${model.id} has no vendor`);
  return vendors[model.family](vendorModel(model, currency));
}

function vendorModel(model: ImageModel, currency: string): VendorModel {
  return { ...model, model: model.model ?? model.id, currency, secret: secretOf(model) };
}

/**
 * The key of a model, from the variable that the registry names, or from the file that the one with `_FILE` names.
 * @throws ConfigurationError where it is not there
 */
function secretOf({ id, secret_env: name }: ImageModel): string | undefined {
  if (name === undefined) return undefined;
  const secret = settingOf(process.env, name);
  if (secret !== undefined) return secret;
  throw new ConfigurationError(`the image model ${id} needs its key in ${name} or ${name}_FILE`);
}

/** The engine of a model, and of the model that is asked when this one has no capacity. */
class VendorEngines extends ImageEngine {
  readonly name: string;
  private own: Promise<ImageEngine> | undefined;

  constructor(
    private readonly model: ImageModel,
    private readonly currency: string,
    private readonly fallback: () => { alone(): Promise<ImageEngine> } | undefined,
  ) {
    super();
    this.name = model.family;
    // A key that is missing is told at the start, and not by the first job.
    secretOf(model);
  }

  async render(request: EngineRequest, context: EngineContext): Promise<RenderResult> {
    const fallback = this.fallback();
    // A call that another worker has begun is its model's to go on with.
    const begun = context.calls.known.find(({ outcome }) => outcome === undefined);
    if (begun && begun.model !== this.model.id && fallback)
      return (await fallback.alone()).render(request, context);
    try {
      return await (await this.alone()).render(request, context);
    } catch (error) {
      const busy = error instanceof EngineError && error.errorClass === 'capacity';
      const unknown = context.calls.known.some(({ outcome }) => outcome === 'outcome_unknown');
      if (!busy || unknown || !fallback) throw error;
      return (await fallback.alone()).render(request, context);
    }
  }

  /** Without its own fallback: two models that stand in for each other end there. */
  alone(): Promise<ImageEngine> {
    return (this.own ??= openVendor(this.model, this.currency).then(
      (vendor) => new VendorEngine(vendorModel(this.model, this.currency), vendor, testMarkSvg),
    ));
  }
}

/** Opens an engine for each model. @throws ConfigurationError for a model whose key is not there */
export function openEngines(list: ModelList): ImageEngines {
  const choice = new ImageModelChoice(list);
  const sandbox = new SandboxEngine();
  const opened = new Map<string, VendorEngines>();
  const of = ({ id, family }: ImageModel) => (family === 'sketch' ? sandbox : opened.get(id));
  const standIn = ({ id, family }: ImageModel) =>
    family === 'sketch' ? { alone: () => Promise.resolve(sandbox) } : opened.get(id);
  for (const model of choice.models) {
    if (!isRemote(model)) continue;
    const { fallback: id } = model;
    const fallback = id === undefined || id === model.id ? undefined : choice.find(id);
    opened.set(model.id, new VendorEngines(model, list.currency, () => fallback && standIn(fallback)));
  }
  return {
    engineFor({ imageModel, operation, tenant, request }) {
      // A job that was queued before models were chosen at dispatch says it in its body, if at all.
      const model =
        imageModel === undefined ? choice.asked(request, operation, tenant) : choice.find(imageModel);
      const engine = model && of(model);
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
