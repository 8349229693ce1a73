import { setTimeout as sleep } from 'node:timers/promises';
import CircuitBreaker from 'opossum';
import {
  EngineError,
  type ImageEngine,
  type EngineContext,
  type EngineRequest,
  type RenderResult,
  type VendorCalls,
} from '@atelier/engine';
import type { Admission, NotYet } from '#application/render/engine-run.js';
import type { Counted } from '#application/limits/rate-limit-store.js';
import type { ImageModel } from '#platform/image-models.js';
import type { Logger } from '#platform/logger.js';
import type { EngineObserver } from '#platform/metrics.js';
import type { ModelPlace, ModelPlaces } from '#render-queue/model-places.js';
import type { RenderTask } from '#render-queue/render-queue.js';

/** Parts for calls to vendors' models. All models of a process share them. */
export interface RemoteParts {
  readonly places: ModelPlaces;
  /** Counts a call of the last minute, over all workers. */
  countCall(model: string, perMinute: number): Promise<Counted>;
  readonly observer: EngineObserver | undefined;
  readonly logger: Logger;
  /** How long a model rests before it gets a call again. Default 30 s. */
  readonly restMs?: number;
}

/** Makes the pictures instead of a model. Undefined: there is no model with room. */
type Otherwise = (request: EngineRequest, context: EngineContext) => Promise<RenderResult | undefined>;

/**
 * A model rests when half of the renders of a minute ended with these errors. A model that makes wrong
 * pictures, or refuses requests, does not rest.
 */
const troubles: ReadonlySet<string> = new Set(['capacity', 'outcome_unknown']);
const isTrouble = (error: unknown) => error instanceof EngineError && troubles.has(error.errorClass);

const breakerOptions = {
  timeout: false,
  errorThresholdPercentage: 50,
  volumeThreshold: 5,
  rollingCountTimeout: 60_000,
  rollingCountBuckets: 6,
  rollingPercentilesEnabled: false,
  errorFilter: (error: unknown) => !isTrouble(error),
} as const;

/**
 * Tasks that wait for a model check again by themselves: a single task after a second, and all tasks together
 * about 20 times a second.
 */
const lookMs = 1_000;
const lookEachMs = 50;

/**
 * One model of a vendor, as this worker uses it:
 *
 * - It limits the calls. Running renders and calls of a minute are counted over all workers. A render without
 *   room goes back into the queue, before its attempt begins.
 * - It lets the model rest. After repeated trouble the breaker opens, for this worker only. Jobs then go to the
 *   fallback or wait, until a single render has shown that the model answers again.
 */
export class RemoteModel {
  private readonly breaker: CircuitBreaker<[() => Promise<RenderResult>], RenderResult>;
  private readonly restMs: number;
  /** A render is out to see whether the model answers again. */
  private probing = false;

  constructor(
    readonly model: ImageModel,
    private readonly parts: RemoteParts,
    private readonly open: () => Promise<ImageEngine>,
  ) {
    const { id } = model;
    const { observer, logger, restMs = 30_000 } = parts;
    this.restMs = restMs;
    const options = { ...breakerOptions, name: id, resetTimeout: restMs };
    this.breaker = new CircuitBreaker((render: () => Promise<RenderResult>) => render(), options);
    observer?.rests(id, false);
    this.breaker.on('open', () => {
      observer?.rests(id, true);
      logger.error({ model: id, restMs }, 'an image model keeps failing, and is not called for a while');
    });
    this.breaker.on('close', () => {
      observer?.rests(id, false);
      logger.info({ model: id }, 'an image model answers again');
    });
  }

  /** Whether it gets no calls at the moment. */
  get rests(): boolean {
    return this.breaker.opened || (this.breaker.halfOpen && this.probing);
  }

  /**
   * How long a task waits for a model that rests. The time varies, so that its tasks do not all come at once.
   */
  restsForMs(): number {
    return this.restMs / 2 + Math.random() * this.restMs;
  }

  /**
   * Takes a place for a render.
   * @param resumes the vendor already has a call of this render: it is not a new call, and is fetched even from
   *   a model that rests
   * @param otherwise makes the pictures if this model has no capacity
   */
  async admit(task: RenderTask, resumes: boolean, otherwise?: Otherwise): Promise<Admission | NotYet> {
    const probes = this.breaker.halfOpen && !resumes;
    if (probes) this.probing = true;
    const place = await this.room(task, resumes).catch((error: unknown) => {
      if (probes) this.probing = false;
      throw error;
    });
    const leave = async () => {
      if (probes) this.probing = false;
      if ('leave' in place) await place.leave();
    };
    if ('leave' in place) return { engine: this.admitted(resumes, otherwise), [Symbol.asyncDispose]: leave };
    this.parts.observer?.waits(this.model.id);
    await leave();
    return place;
  }

  /** Takes a place, and counts a call of the minute unless the render resumes one. */
  private async room(task: RenderTask, resumes: boolean): Promise<ModelPlace | NotYet> {
    const { places, countCall } = this.parts;
    const { id, concurrency, requests_per_minute: perMinute } = this.model;
    const place = await places.take(id, concurrency, task);
    if (!place) return { askAgainMs: lookMs + Math.random() * lookEachMs * (await places.waiting(id)) };
    if (!perMinute || resumes) return place;
    try {
      const { passed, firstLeavesMs } = await countCall(id, perMinute);
      if (passed) return place;
      await place.leave(false);
      const othersMs = (60_000 / perMinute) * (await places.waiting(id));
      return { askAgainMs: Math.max(lookMs, firstLeavesMs) + Math.random() * othersMs };
    } catch (error) {
      await place.leave(false);
      throw error;
    }
  }

  /** The engine of one render that has its place. */
  private admitted(resumes: boolean, otherwise: Otherwise | undefined): ImageEngine {
    return {
      name: this.model.family,
      render: (request, context) =>
        this.render(request, context, resumes).catch(async (error: unknown) => {
          const busy = error instanceof EngineError && error.errorClass === 'capacity';
          const unknown = context.calls.known.some(({ outcome }) => outcome === 'outcome_unknown');
          const stoodIn = busy && !unknown && (await otherwise?.(request, context));
          if (stoodIn) return stoodIn;
          throw error;
        }),
    };
  }

  /** @throws EngineError `capacity` also when it rests */
  private async render(
    request: EngineRequest,
    context: EngineContext,
    resumes: boolean,
  ): Promise<RenderResult> {
    const engine = await this.open();
    const render = () => engine.render(request, { ...context, calls: this.watched(context, resumes) });
    if (resumes) return render();
    return this.breaker.fire(render).catch((error: unknown) => {
      throw CircuitBreaker.isOurError(error as Error) ? noCapacity() : error;
    });
  }

  /**
   * The render's first call was counted at its admission. Each further call waits here until the minute allows
   * it.
   */
  private watched({ calls, signal }: EngineContext, resumes: boolean): VendorCalls {
    const { id, requests_per_minute: perMinute } = this.model;
    let counted = !resumes;
    return {
      get known() {
        return calls.known;
      },
      begin: async (call) => {
        if (perMinute && !counted) await this.untilAllowed(perMinute, signal);
        counted = false;
        return calls.begin(call);
      },
      submitted: (call, vendorRequestId) => calls.submitted(call, vendorRequestId),
      answered: async (call, answer) => {
        this.parts.observer?.answered(id, answer.outcome);
        await calls.answered(call, answer);
      },
      kept: (call) => calls.kept(call),
    };
  }

  private async untilAllowed(perMinute: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      const { passed, firstLeavesMs } = await this.parts.countCall(this.model.id, perMinute);
      if (passed) return;
      await sleep(Math.max(lookMs, firstLeavesMs), undefined, { signal });
    }
  }
}

export function noCapacity(): EngineError {
  return new EngineError(
    'capacity',
    'The image model has no capacity at present. Your credits were refunded.',
  );
}
