import { once } from 'node:events';
import { EngineError, type ImageEngine, type RenderContext, type RenderRequest } from '@atelier/engine';
import { BatchEngine } from '../../worker/support/batches.js';
import { plainPicture } from '../../worker/support/engines.js';

/** Display names of dispatches. The engine treats each of these jobs in its own way. */
export const endless = 'endless';
export const refused = 'refused';
export const busyOnce = 'busy once';
/** The number of a photograph in a batch that the engine never finishes. */
export const endlessPhoto = 99;

/** Draws plain pictures at once: one stage and one final picture, or the pictures of a batch. */
export class CrashEngine implements ImageEngine {
  readonly name = 'crash';
  private readonly batches = new BatchEngine({ person: [0, 1] }, async (photo, { signal }) => {
    if (photo === endlessPhoto && !signal.aborted) await once(signal, 'abort');
    signal.throwIfAborted();
  });
  /** Jobs that met a busy engine once, by their seed. */
  private readonly busy = new Set<number>();

  async render(request: RenderRequest, context: RenderContext) {
    if (request.workflow.startsWith('pdp-')) return this.batches.render(request, context);
    await context.onStage({ stage: 'croquis', message: 'Begun', pictures: [await plainPicture('croquis')] });
    if (request.displayName === endless && !context.signal.aborted) await once(context.signal, 'abort');
    context.signal.throwIfAborted();
    if (request.displayName === refused) throw new EngineError('policy', 'Refused, as the test asked for.');
    if (request.displayName === busyOnce && !this.busy.has(request.seed)) {
      this.busy.add(request.seed);
      throw new EngineError('capacity', 'Busy, as the test asked for.', 100);
    }
    return { pictures: [await plainPicture('on_model_render')], message: 'Done', model: 'plain-1' };
  }
}
