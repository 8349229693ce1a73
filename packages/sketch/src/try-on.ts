import { EngineError, type Renderer } from '@atelier/engine';
import { breathe } from './abort.js';
import { finished, ground, inLight, inputOf } from './composition/draw.js';
import { easelFor } from './composition/product.js';
import { studio } from './composition/setting.js';
import { assemble, drawDressed, ensembleFacts, type OutfitOrder } from './ensemble/ensemble.js';
import { MODEL } from './model.js';

/**
 * Dresses the person of `user_image` in `item-0`, `item-1`, …: clothes from the skin outward, shoes on the
 * feet, a bag in the hand, a hat on the head, accessories in their places.
 * @throws EngineError `bad_input` when a picture cannot be read, or an item does not stand out from its
 * background
 */
export const tryOn: Renderer<OutfitOrder> = async (request, context) => {
  const easel = easelFor(request, context, '2:3');
  if (!inputOf(request, 'user_image'))
    throw new EngineError('bad_input', 'user_image is missing. Send one picture of a person.');
  const ensemble = await assemble(easel, request, 'user_image');
  const { outfit, view } = ensemble;
  const setting = await studio(request.seed, easel.size, view.floor);
  await breathe(context.signal);
  const place = await ground(easel, setting, outfit, view);
  const drawn = await drawDressed(easel, ensemble, place);
  const subject = await inLight(easel, drawn.all, setting.light, view);
  const picture = await finished(easel, [...place, ...subject], {
    kind: 'try_on_render',
    label: request.displayName || 'Try-on',
    meta: await ensembleFacts(easel, ensemble, drawn, setting),
  });
  const count = ensemble.items.length;
  return {
    pictures: [picture],
    message: `${count === 1 ? 'One item is' : `${count} items are`} worn`,
    model: MODEL,
  };
};
