import { garmentFacts, type Garment } from './garment.js';
import type { Easel } from './draw.js';
import type { Outfit } from './outfit.js';
import { personFacts } from './person.js';
import type { Setting } from './setting.js';
import type { View } from './view.js';

const share = (value: number, of: number): number => Math.round((10_000 * value) / of) / 10_000;

/** Where the figure is, in shares of the picture's height (x from its middle), so that it can be found again. */
const viewFacts = ({ framing, shows }: View, { width, height }: Easel['size']): Record<string, unknown> => ({
  framing: shows,
  scale: share(framing.scale * 900, height),
  x: share(framing.x - width / 2, height),
  y: share(framing.y, height),
});

/**
 * The meta of a composed picture: who wears what, where, and how the picture was taken. The person can be drawn again from
 * it, and a swap finds the figure by it. `main` is the garment that the top-level fields speak of.
 */
export function compositionFacts(
  easel: Easel,
  main: Garment,
  outfit: Outfit,
  view: View,
  setting: Setting,
): Record<string, unknown> {
  const person = personFacts(outfit.person);
  return {
    ...garmentFacts(main),
    ...person,
    seed: easel.request.seed,
    aspect_ratio: easel.asked.aspectRatio,
    resolution: easel.asked.resolution,
    person: { ...person, stance: outfit.rig.spec.stance },
    view: viewFacts(view, easel.size),
    backdrop: setting.facts,
  };
}
