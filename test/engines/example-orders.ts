import { readFileSync } from 'node:fs';
import type { EngineImage } from '@atelier/engine';
import type { Order } from '@atelier/engine/conformance';
import { SketchEngine } from '@atelier/sketch';
import { categoryById } from '#domain/garment/garment-categories.js';
import { presetTable } from '#domain/preset/preset-table.js';
import type { PresetKind } from '#domain/preset/preset.events.js';
import type { Reference, Workflow } from '#workflows/define-workflow.js';
import { workflows } from '#workflows/workflows.js';

type Body = Readonly<Record<string, unknown>>;

const asset = (path: string): Buffer => readFileSync(new URL(`../../assets/${path}.jpg`, import.meta.url));
const sample = (name: string): Buffer => asset(`samples/${name}`);

function preset(name: string, kind: PresetKind): EngineImage {
  const row = presetTable.find((one) => one.kind === kind);
  if (!row) throw new Error(`there is no preset of kind ${kind}`);
  return { name, bytes: asset(`presets/${row.id}`), meta: row.spec };
}

/** A picture of the kind that the input expects. */
function pictureFor(name: string): EngineImage {
  if (/^(?:user|model|portrait)_image$/.test(name)) return preset(name, 'model');
  if (name === 'background_image') return { name, bytes: preset(name, 'background').bytes };
  return { name, bytes: sample(name === 'item-1' ? 'trousers' : 'jumper') };
}

/** A picture with the facts of its composition. */
const composed = await new SketchEngine().render(
  {
    workflow: 'product-to-model-direct',
    body: { output_preset: 'portrait' },
    inputs: [{ name: 'product_image', bytes: sample('jumper') }, preset('model_image', 'model')],
    seed: 7,
    displayName: '',
    testMark: false,
  },
  {
    signal: new AbortController().signal,
    garmentKind: categoryById,
    onStage: () => Promise.resolve(),
  },
);

/** The pictures for one reference: as many as the body has values in its field. */
function inputsOf(body: Body, reference: Reference): EngineImage[] {
  if (reference.by === 'category') return [];
  const { field, input } = reference;
  const [array = '', member] = field.split('[]');
  const given = body[array];
  if (given === undefined) return [];
  if (reference.by === 'preset') return [preset(input, reference.kind)];
  if (reference.tells === 'composition')
    return composed.pictures.map(({ bytes, meta }) => ({ name: input, bytes, meta }));
  if (member === undefined) return [pictureFor(input)];
  return Array.isArray(given) ? given.map((_, index) => pictureFor(`${input}-${index}`)) : [];
}

function orderOf(workflow: Workflow): Order {
  const { name, examples, references } = workflow;
  const [body] = Object.values(examples);
  if (!body) throw new Error(`${name} has no example`);
  // Small and quick, where the caller may choose.
  const { quality: _, resolution: __, ...plain }: Body = { ...body };
  const inputs = references.flatMap((reference) => inputsOf(plain, reference));
  const brief = () => workflow.brief({ body: plain, pictures: inputs, category: undefined, displayName: '' });
  return { body: plain, inputs, brief };
}

/** Each workflow's own example, by its name, with pictures for everything that it refers to. */
export const orders = Object.fromEntries(
  workflows
    .toSorted((a, b) => Number(b.name === 'model-generator') - Number(a.name === 'model-generator'))
    .map((workflow) => [workflow.name, orderOf(workflow)]),
);
