// Measures how long a picture takes without the service. Build first, then: `npm run bench -w @atelier/sketch
// [-- renders]`.
import { readFileSync } from 'node:fs';
import { SketchEngine } from '@atelier/sketch';

const renders = Number(process.argv[2] ?? 12);
const engine = new SketchEngine();
const jumper = readFileSync(new URL('../../assets/samples/jumper.jpg', import.meta.url));

const orders = {
  'model-generator, 1K': ['model-generator', { gender: 'FEMALE' }, []],
  'model-generator, 2K': ['model-generator', { gender: 'FEMALE', resolution: '2K' }, []],
  'background-generator': ['background-generator', { scene_type: 'rooftop terrace' }, []],
  'product-to-model-direct': ['product-to-model-direct', {}, [{ name: 'product_image', bytes: jumper }]],
  extract: ['extract', {}, [{ name: 'trial_image', bytes: jumper }]],
};

async function renderMs([workflow, body, inputs], seed) {
  const request = { workflow, body, inputs, seed, displayName: '', testMark: false };
  const startedAt = performance.now();
  await engine.render(request, {
    signal: new AbortController().signal,
    garmentKind: () => undefined,
    onStage: async () => undefined,
  });
  return performance.now() - startedAt;
}

for (const [name, order] of Object.entries(orders)) {
  // The first one warms up.
  await renderMs(order, 0);
  const times = [];
  for (let seed = 1; seed <= renders; seed++) times.push(await renderMs(order, seed));
  times.sort((a, b) => a - b);
  const [median, slowest] = [times[times.length >> 1], times.at(-1)];
  process.stdout.write(
    `${name.padEnd(26)} median ${median.toFixed(0)} ms, slowest ${slowest.toFixed(0)} ms\n`,
  );
}
