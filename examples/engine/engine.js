import { EngineError } from '@atelier/engine';
import sharp from 'sharp';

/** The registry's entry names the same ones, so callers cannot order others from this engine. */
const workflows = ['background-generator', 'background-swap-with-image'];

/**
 * Makes the engine, once in each worker. `options`, `secret` and `endpoint` come from the registry's entry.
 * @type {import('@atelier/engine').MakeEngine}
 */
const makeEngine = ({ id, options }) => ({
  name: 'wash',
  async render({ workflow, brief, inputs, seed }, { signal, onStage }) {
    // The class of an error decides what follows: these two end the job, `capacity` has it tried again.
    if (!workflows.includes(workflow)) throw new EngineError('misconfigured', 'wash does not make this.');
    for (const { name, bytes } of inputs)
      await sharp(bytes)
        .stats()
        .catch(() => {
          throw new EngineError('bad_input', `${name} is no picture.`);
        });
    // A brief says in plain English what to make; an engine that calls a model sends it `wordsOf(step, …)`.
    const [step] = brief().steps;
    // A cancelled job ends at the next such line, within a second; nothing is told of it.
    signal.throwIfAborted();
    const { width, height } = sizeOf(step);
    const bytes = await wash(width, height, seed, options);
    await onStage({ stage: 'composition', message: 'Washed', pictures: [] });
    signal.throwIfAborted();
    const { kind, label, meta } = step.gives;
    const picture = { kind, label, meta, contentType: 'image/png', bytes, width, height };
    return { pictures: [picture], message: 'Washed', model: id };
  },
});

export default makeEngine;

/** The size that the step asks for. `input`: the shape of the input picture, which is 2 to 3 here. */
function sizeOf({ ratio, longSide }) {
  const [wide, high] = ratio === 'input' ? [2, 3] : ratio.split(':').map(Number);
  const scale = longSide / Math.max(wide, high);
  return { width: Math.round(wide * scale), height: Math.round(high * scale) };
}

/** A sheet of colour. The same seed gives the same bytes. */
function wash(width, height, seed, { blue = 90 }) {
  const pixels = Buffer.alloc(width * height * 3);
  for (let at = 0; at < width * height; at++)
    pixels.set([((at % width) + seed * 7) % 256, Math.floor(at / width) % 256, Number(blue)], at * 3);
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
}
