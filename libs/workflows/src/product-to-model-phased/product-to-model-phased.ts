import { defineWorkflow } from '../define-workflow.js';
import {
  ProductToModelDirectBody,
  productOnModel,
  productToModelDirect,
} from '../product-to-model-direct/product-to-model-direct.js';

/** The same order, shown phase by phase. */
export class ProductToModelPhasedBody extends ProductToModelDirectBody {}

export const productToModelPhased = defineWorkflow({
  ...productToModelDirect,
  name: 'product-to-model-phased',
  jobType: 'PRODUCT_TO_MODEL_PHASED',
  summary: 'The same in phases, each of them a stage with a picture of its own',
  body: ProductToModelPhasedBody,
  examples: { upload: productOnModel },
});
