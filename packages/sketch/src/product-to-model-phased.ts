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
import { blankSheet } from './composition/setting.js';
import { dressed, undressed } from './composition/subject.js';
import { usualView } from './composition/view.js';
import { MODEL } from './model.js';

/**
 * Does the same as product-to-model-direct, but shows each phase: the garment cut out, the figure posed for it,
 * the figure dressed, and the dressed figure in its place. Light and shadow then finish the picture.
 * @throws EngineError `bad_input` when a picture cannot be read or no garment stands out from its background
 */
export const productToModelPhased: Renderer<ProductToModelOrder> = async (request, context) => {
  const easel = easelFor(request, context, '4:5');
  const garment = await takeProduct(easel, request.body.display_name);
  const outfit = await poseWearer(easel, garment);
  // The place is drawn later, but it decides the figure's position.
  const { setting, view } = await productPlace(easel, usualView(outfit, easel.size));
  await breathe(context.signal);
  const sheet = await blankSheet(easel.size);
  const figure = await drawFigure(easel, outfit, view);
  const posed = await progress(easel, [sheet, ...undressed(figure)], {
    kind: 'figure',
    label: 'The figure, posed for the garment',
    meta: personFacts(outfit.person),
  });
  await report(easel, 'figure_posed', 'The figure is posed for the garment', posed);
  const cloth = await drawCloth(easel, outfit, view);
  const wearing = dressed(figure, cloth);
  const fitted = await progress(easel, [sheet, ...wearing], {
    kind: 'dressed_figure',
    label: 'The figure, dressed',
    meta: { garment_class: garment.garmentClass },
  });
  await report(easel, 'dressed', `The ${garment.garmentClass} is fitted to the figure`, fitted);
  const placed = await progress(easel, [setting.plate, ...wearing], {
    kind: 'placed_figure',
    label: 'The figure in its place',
    meta: { backdrop: setting.facts },
  });
  await report(easel, 'placed', 'The dressed figure stands in its place', placed);
  const subject = await inLight(easel, wearing, setting.light, view);
  const picture = await finished(easel, [...(await ground(easel, setting, outfit, view)), ...subject], {
    kind: 'on_model_render',
    label: request.displayName || 'On model',
    meta: await compositionFacts(easel, garment, outfit, view, setting, { figure, cloth }),
  });
  return {
    pictures: [picture],
    message: `The ${garment.garmentClass} is worn, in five phases`,
    model: MODEL,
  };
};
