import sharp from 'sharp';
import {
  EngineError,
  ImageEngine,
  type EnginePicture,
  type RenderContext,
  type Renderer,
  type RenderRequest,
  type RenderResult,
} from '@atelier/engine';
import { untilAborted } from './abort.js';
import { backgroundGenerator } from './background-generator.js';
import { backgroundSwapWithImage } from './background-swap-with-image.js';
import { backgroundSwapWithSpec } from './background-swap-with-spec.js';
import { complementaryGarmentGenerator } from './complementary-garment-generator.js';
import { catalogShots } from './catalog-shots.js';
import { evaluated } from './evaluate.js';
import { extract } from './extract.js';
import { look } from './look.js';
import { modelGenerator } from './model-generator.js';
import { modelSwapWithImage } from './model-swap-with-image.js';
import { pdpBatchExtractions } from './pdp-batch-extractions.js';
import { pdpExtractions } from './pdp-extractions.js';
import { productToModelDirect } from './product-to-model-direct.js';
import { productToModelPhased } from './product-to-model-phased.js';
import { tryOn } from './try-on.js';

/** Draws, and measures the drawing if the body asks for it. */
const withEvaluation =
  <Order>(draw: Renderer<Order>): Renderer<Order & { readonly eval_enabled?: boolean }> =>
  async (request, context) => {
    const result = await draw(request, context);
    if (!request.body.eval_enabled) return result;
    const pictures: EnginePicture[] = [];
    // One after the other, because measuring unpacks a 4K picture, and several at once would cost memory.
    for (const picture of result.pictures) pictures.push(await evaluated(picture));
    return { ...result, pictures };
  };

/** Every workflow that this engine draws. A new workflow needs one line here and one file beside it. */
export const sketchRenderers = {
  'background-generator': withEvaluation(backgroundGenerator),
  'background-swap-with-image': backgroundSwapWithImage,
  'background-swap-with-spec': backgroundSwapWithSpec,
  'complementary-garment-generator': withEvaluation(complementaryGarmentGenerator),
  'catalog-shots': catalogShots,
  extract,
  look: withEvaluation(look),
  'model-generator': withEvaluation(modelGenerator),
  'model-swap-with-image': modelSwapWithImage,
  'pdp-batch-extractions': pdpBatchExtractions,
  'pdp-extractions': pdpExtractions,
  'product-to-model-direct': withEvaluation(productToModelDirect),
  'product-to-model-phased': withEvaluation(productToModelPhased),
  'try-on': withEvaluation(tryOn),
} as const;

const draws = (workflow: string): workflow is keyof typeof sketchRenderers =>
  Object.hasOwn(sketchRenderers, workflow);

/**
 * Draws with pen and watercolour, from the caller's own pictures, without a vendor. The same request and seed
 * give the same bytes. A 1K picture takes one core about a second.
 */
export class SketchEngine extends ImageEngine {
  readonly name = 'sketch';

  constructor() {
    super();
    // Several workers share a machine. One picture must not take all of its cores, nor keep old pictures in
    // memory.
    sharp.concurrency(1);
    sharp.cache({ memory: 32, files: 0, items: 50 });
  }

  async render(request: RenderRequest, context: RenderContext): Promise<RenderResult> {
    const { workflow } = request;
    if (!draws(workflow))
      throw new EngineError('misconfigured', `The sketch engine does not draw the workflow ${workflow}.`);
    context.signal.throwIfAborted();
    const draw: Renderer<never> = sketchRenderers[workflow];
    // The cast is safe: the service's types check each renderer against the body of its workflow, and
    // dispatches validate bodies.
    return untilAborted(draw(request as RenderRequest<never>, context), context.signal);
  }
}
