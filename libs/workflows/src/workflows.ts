import { backgroundGenerator } from './background-generator/background-generator.js';
import { backgroundSwapWithImage } from './background-swap-with-image/background-swap-with-image.js';
import { backgroundSwapWithSpec } from './background-swap-with-spec/background-swap-with-spec.js';
import { catalogShots } from './catalog-shots/catalog-shots.js';
import { complementaryGarmentGenerator } from './complementary-garment-generator/complementary-garment-generator.js';
import type { Workflow } from './define-workflow.js';
import { extract } from './extract/extract.js';
import { look } from './look/look.js';
import { modelGenerator } from './model-generator/model-generator.js';
import { modelSwapWithImage } from './model-swap-with-image/model-swap-with-image.js';
import { pdpBatchExtractions } from './pdp-batch-extractions/pdp-batch-extractions.js';
import { pdpExtractions } from './pdp-extractions/pdp-extractions.js';
import { productToModelDirect } from './product-to-model-direct/product-to-model-direct.js';
import { productToModelPhased } from './product-to-model-phased/product-to-model-phased.js';
import { tryOn } from './try-on/try-on.js';

/**
 * Every workflow, in the callers' order. To add one, write its folder, a line here, and a renderer of its name
 * in `packages/sketch`. Vendors' engines read its brief instead.
 */
export const workflows = [
  tryOn,
  modelGenerator,
  backgroundGenerator,
  complementaryGarmentGenerator,
  productToModelDirect,
  productToModelPhased,
  backgroundSwapWithImage,
  backgroundSwapWithSpec,
  modelSwapWithImage,
  extract,
  look,
  catalogShots,
  pdpExtractions,
  pdpBatchExtractions,
] as const satisfies readonly Workflow[];

type AnyWorkflow = (typeof workflows)[number];

/** The body of each workflow, by name, for the engine's renderer of that name. */
export type WorkflowBodies = { [Each in AnyWorkflow as Each['name']]: InstanceType<Each['body']> };

const byName = new Map<string, Workflow>(workflows.map((workflow) => [workflow.name, workflow]));

/** @throws RangeError for a name that is not in the list */
export function workflowOf(name: string): Workflow {
  const workflow = byName.get(name);
  if (!workflow) throw new RangeError(`there is no workflow ${name}`);
  return workflow;
}
