import { EngineError, type Renderer } from '@atelier/engine';
import { breathe } from './abort.js';
import { drawFigure, finished, ground, inLight, inputOf, progress, report } from './composition/draw.js';
import { viewFacts, wearerFacts } from './composition/facts.js';
import { readKnownSource } from './composition/known-source.js';
import { personFacts, personFrom } from './composition/person.js';
import { easelFor } from './composition/product.js';
import { silhouettes, wornUnder } from './composition/silhouettes.js';
import { dressed, undressed } from './composition/subject.js';
import { planKnown } from './composition/swap-plan.js';
import type { SwapOrder } from './swapping/swap.js';
import { MODEL } from './model.js';

/**
 * Puts the person of `model_image` into the clothes of `source_image`, in the same place and pose. It needs the
 * place of the cloth from the picture's meta, so it refuses pictures that this engine did not compose.
 * @throws EngineError `bad_input` when a picture cannot be read, or is a photograph
 */
export const modelSwapWithImage: Renderer<SwapOrder> = async (request, context) => {
  const easel = easelFor(request, context, '4:5');
  const source = inputOf(request, 'source_image');
  const model = inputOf(request, 'model_image');
  if (!source)
    throw new EngineError('bad_input', 'source_image is missing. Send one picture of a dressed person.');
  if (!model) throw new EngineError('bad_input', 'model_image is missing. Name the person to put in.');
  const person = personFrom(model, {}, request.seed);
  await breathe(context.signal);
  const known = await readKnownSource(source, 2048);
  if (!known)
    throw new EngineError(
      'bad_input',
      'source_image is a photograph, and this engine changes the person of pictures that it drew itself. Name a picture that was generated here, or an image model that works on photographs of people.',
    );
  const plan = await planKnown(easel, known, person, source.meta ?? {});
  await breathe(context.signal);
  await report(easel, 'garment_kept', 'The clothes are told from the person who wears them', plan.garment);
  const { outfit, view, setting, cloth } = plan;
  const place = await ground(easel, setting, outfit, view);
  const figure = await drawFigure(easel, outfit, view);
  const posed = await progress(easel, [...place, ...undressed(figure)], {
    kind: 'figure',
    label: 'The new person, in the same place',
    meta: personFacts(person),
  });
  await report(easel, 'figure', 'The new person takes the pose', posed);
  const subject = await inLight(easel, dressed(figure, cloth), setting.light, view);
  const facts = personFacts(outfit.person);
  const picture = await finished(easel, [...place, ...subject], {
    kind: 'model_swap',
    label: request.displayName || 'Another model',
    meta: {
      ...plan.garment.meta,
      ...(plan.garmentClasses[0] ? { garment_class: plan.garmentClasses[0] } : {}),
      garments: plan.garmentClasses.map((garment_class) => ({ garment_class, worn: true })),
      ...facts,
      seed: request.seed,
      person: facts,
      backdrop: setting.facts,
      view: viewFacts(view, easel.size),
      wearer: wearerFacts(outfit),
      // If several things are carried over in one piece, they can no longer be separated.
      silhouettes: await silhouettes(
        figure,
        wornUnder(figure, cloth, plan.garmentClasses.length === 1 ? plan.garmentClasses : []),
        easel.size,
      ),
      aspect_ratio: easel.asked.aspectRatio,
      resolution: easel.asked.resolution,
    },
  });
  return { pictures: [picture], message: 'Another person wears the same clothes', model: MODEL };
};
