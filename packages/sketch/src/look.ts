import { EngineError, type Renderer } from '@atelier/engine';
import { breathe } from './abort.js';
import { finished, ground, inLight, inputOf } from './composition/draw.js';
import { easelFor } from './composition/product.js';
import { placeFor, studio } from './composition/setting.js';
import { assemble, drawDressed, ensembleFacts, type OutfitOrder } from './ensemble/ensemble.js';
import { MODEL } from './model.js';

/**
 * A full-length editorial picture: the person of `model_image` in all items, before `background_image` or in
 * the studio.
 * @throws EngineError `bad_input` when a picture cannot be read, or an item does not stand out from its
 * background
 */
export const look: Renderer<OutfitOrder> = async (request, context) => {
  const easel = easelFor(request, context, '4:5');
  if (!inputOf(request, 'model_image'))
    throw new EngineError('bad_input', 'model_image is missing. Name the picture of a model.');
  const posed = await assemble(easel, request, 'model_image');
  const given = inputOf(request, 'background_image');
  // A drawn scene gives the person's place in it.
  const { setting, view } = given
    ? await placeFor(given, request.seed, easel.size, posed.view)
    : { setting: await studio(request.seed, easel.size, posed.view.floor), view: posed.view };
  const ensemble = { ...posed, view };
  await breathe(context.signal);
  const place = await ground(easel, setting, ensemble.outfit, view);
  const drawn = await drawDressed(easel, ensemble, place);
  const subject = await inLight(easel, drawn.all, setting.light, view);
  const picture = await finished(easel, [...place, ...subject], {
    kind: 'look_render',
    label: request.displayName || 'Look',
    meta: await ensembleFacts(easel, ensemble, drawn, setting),
  });
  return {
    pictures: [picture],
    message: `The look stands, in ${ensemble.items.length} pieces`,
    model: MODEL,
  };
};
