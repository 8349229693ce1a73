import { Global, Module } from '@nestjs/common';
import {
  EngineError,
  ImageEngine,
  type EngineRequest,
  type EngineContext,
  type EngineErrorClass,
  type Renderers,
  type RenderResult,
} from '@atelier/engine';
import { PhotoEngine, useSegmentationModel } from '@atelier/photo';
import { SketchEngine, sketchRenderers } from '@atelier/sketch';
import { grounds, testMarkSvg } from '@atelier/sketch/grounds';
import {
  freely,
  ImageEngines,
  type Admission,
  type ChosenFor,
  type NotYet,
} from '#application/render/engine-run.js';
import type { KnownCall } from '#domain/job/job.js';
import { Configuration, ConfigurationError } from '#platform/configuration.js';
import { engineFamilies } from '#platform/engine-families.js';
import {
  ImageModelChoice,
  isRemote,
  sandboxModel,
  type ImageModel,
  type ModelList,
} from '#platform/image-models.js';
import { Logger } from '#platform/logger.js';
import type { Metrics } from '#platform/metrics.js';
import { withKey } from '#platform/model-keys.js';
import { countRequestIn } from '#read-store/rate-limit-store.js';
import type { PgBossRenderQueue } from '#render-queue/pg-boss-render-queue.js';
import { RenderQueue, type RenderTask } from '#render-queue/render-queue.js';
import type { WorkflowBodies } from '#workflows/workflows.js';
import { OwnMetrics } from './platform.module.js';
import { noCapacity, RemoteModel, type RemoteParts } from './remote-model.js';

/**
 * The engine of an installation without a vendor. It swaps the backgrounds of photographs of people, and draws
 * everything else.
 */
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

// The sandbox draws from the body, so it must have a renderer for the body of every workflow.
void (sketchRenderers satisfies Renderers<WorkflowBodies>);

/**
 * Opens the engine of a model at its first job. A missing key is reported at the start.
 * @throws ConfigurationError for a missing key, or a family that is not installed
 */
function opensEngine(model: ImageModel, currency: string): () => Promise<ImageEngine> {
  const declared = withKey(model, currency);
  const family = engineFamilies[model.family];
  if (!family)
    throw new ConfigurationError(
      `the image model ${model.id} is of the family ${model.family}, which is not installed`,
    );
  const load = async () => (await family.load()).open(declared, testMarkSvg);
  let engine: Promise<ImageEngine> | undefined;
  return () =>
    // If a package cannot be loaded, the next job tries again.
    (engine ??= load().catch((error: unknown) => {
      engine = undefined;
      throw error;
    }));
}

/** A job that has waited for this long ends, even if its model still rests. */
const longestRestMs = 15 * 60_000;

class ConfiguredEngines extends ImageEngines {
  private readonly choice: ImageModelChoice;
  private readonly sandbox = new SandboxEngine();
  private readonly remote = new Map<string, RemoteModel>();

  /** @throws ConfigurationError for a model whose key is not there */
  constructor(list: ModelList, parts: RemoteParts) {
    super();
    this.choice = new ImageModelChoice(list);
    for (const model of this.choice.models.filter(isRemote))
      this.remote.set(model.id, new RemoteModel(model, parts, opensEngine(model, list.currency)));
  }

  async admit(task: RenderTask, job: ChosenFor, calls: readonly KnownCall[]): Promise<Admission | NotYet> {
    const { imageModel, operation, tenant, request, at } = job;
    // A job that was queued before models were chosen at dispatch names its model in its body, if at all.
    const model =
      imageModel === undefined ? this.choice.asked(request, operation, tenant) : this.choice.find(imageModel);
    if (!model)
      return freely(refusing('misconfigured', 'The image model of this job is not available any more.'));
    const own = this.remote.get(model.id);
    if (!own) return freely(this.sandboxAs(model.id));
    // If another worker has begun a call, the model of that call continues it.
    const begun = calls.find(({ answer }) => !answer);
    const resumed = begun && this.remote.get(begun.model);
    if (resumed) return resumed.admit(task, true);
    const standIn = this.standInOf(own);
    if (!own.rests)
      return own.admit(task, false, (order, context) => this.drawInstead(standIn, task, order, context));
    const unknown = calls.some(({ answer }) => answer?.outcome === 'outcome_unknown');
    if (standIn === 'sandbox' && !unknown) return freely(this.sandbox);
    if (standIn instanceof RemoteModel && !standIn.rests && !unknown) return standIn.admit(task, false);
    if (Date.now() - Date.parse(at) > longestRestMs)
      return freely(refusing('capacity', noCapacity().message));
    return { askAgainMs: own.restsForMs() };
  }

  /** An installation may list several models that draw on this machine. Results name the chosen one. */
  private sandboxAs(id: string): ImageEngine {
    const { sandbox } = this;
    return {
      name: sandbox.name,
      async render(request, context) {
        const result = await sandbox.render(request, context);
        return result.model === sandboxModel.id ? { ...result, model: id } : result;
      },
    };
  }

  /** The stand-in gets no stand-in of its own, so two models that stand in for each other do not loop. */
  private standInOf({ model: { id, fallback } }: RemoteModel): RemoteModel | 'sandbox' | undefined {
    if (fallback === undefined || fallback === id) return undefined;
    return this.remote.get(fallback) ?? 'sandbox';
  }

  /** Undefined: there is no stand-in that has room now. */
  private async drawInstead(
    standIn: RemoteModel | 'sandbox' | undefined,
    task: RenderTask,
    request: EngineRequest,
    context: EngineContext,
  ): Promise<RenderResult | undefined> {
    if (standIn === 'sandbox') return this.sandbox.render(request, context);
    if (!standIn || standIn.rests) return undefined;
    const admission = await standIn.admit(task, false);
    if ('askAgainMs' in admission) return undefined;
    await using admitted = admission;
    return await admitted.engine.render(request, context);
  }
}

function refusing(errorClass: EngineErrorClass, message: string): ImageEngine {
  return { name: 'none', render: () => Promise.reject(new EngineError(errorClass, message)) };
}

/** Opens an engine for each model. @throws ConfigurationError for a model whose key is not there */
export function openEngines(list: ModelList, parts: RemoteParts): ImageEngines {
  return new ConfiguredEngines(list, parts);
}

@Global()
@Module({
  providers: [
    {
      provide: ImageEngines,
      inject: [Configuration, RenderQueue, Logger, OwnMetrics],
      useFactory: (
        { imageModels, photoSegmentationModel }: Configuration,
        { places, database }: PgBossRenderQueue,
        logger: Logger,
        metrics: Metrics | undefined,
      ): ImageEngines => {
        if (photoSegmentationModel) useSegmentationModel(photoSegmentationModel);
        const countCall = (model: string, perMinute: number) =>
          countRequestIn(database, `image-model ${model}`, perMinute);
        const remote = imageModels.models.some(isRemote);
        return openEngines(imageModels, {
          places,
          countCall,
          logger,
          observer: remote ? metrics?.engines : undefined,
        });
      },
    },
  ],
  exports: [ImageEngines],
})
export class EnginesModule {}
