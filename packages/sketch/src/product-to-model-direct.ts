import type { Renderer } from '@atelier/engine';
import { breathe } from './abort.js';
import { drawCloth, drawFigure, finished, ground, inLight, progress, report } from './composition/draw.js';
import { compositionFacts } from './composition/facts.js';
import { personFacts } from './composition/person.js';
import {
  easelFor,
  poseWearer,
  productPlace,
  takeProduct,
  type ProductToModelOrder,
} from './composition/product.js';
import { dressed, undressed } from './composition/subject.js';
import { usualView } from './composition/view.js';
import { MODEL } from './model.js';

/**
 * Cuts the garment out of `product_image` and draws a figure that wears it. `model_image` shows the wearer; if
 * its meta has no facts, only its colours of skin and hair are used. `background_image` replaces the studio.
 * @throws EngineError `bad_input` when a picture cannot be read or no garment stands out from its background
 */
export const productToModelDirect: Renderer<ProductToModelOrder> = async (request, context) => {
  const easel = easelFor(request, context, '4:5');
  const garment = await takeProduct(easel, request.body.display_name);
  const outfit = await poseWearer(easel, garment);
  const { setting, view } = await productPlace(easel, usualView(outfit, easel.size));
  await breathe(context.signal);
  const place = await ground(easel, setting, outfit, view);
  const figure = await drawFigure(easel, outfit, view);
  const posed = await progress(easel, [...place, ...undressed(figure)], {
    kind: 'figure',
    label: 'The figure that will wear it',
    meta: personFacts(outfit.person),
  });
  await report(easel, 'figure', 'The figure is posed for the garment', posed);
  const cloth = await drawCloth(easel, outfit, view);
  const subject = await inLight(easel, dressed(figure, cloth), setting.light, view);
  const picture = await finished(easel, [...place, ...subject], {
    kind: 'on_model_render',
    label: request.displayName || 'On model',
    meta: await compositionFacts(easel, garment, outfit, view, setting, { figure, cloth }),
  });
  return { pictures: [picture], message: `The ${garment.garmentClass} is worn`, model: MODEL };
};
