import type { WorkflowName } from '#domain/workflow/workflows.js';
import type { FieldProblem } from '../errors/api-error.js';
import type { Shape } from '../validation/validate.js';
import { ModelGeneratorBody, modelGeneratorProblems } from './model-generator.dto.js';
import { ProductToModelDirectBody, productToModelProblems } from './product-to-model-direct.dto.js';

/** The body of one workflow's dispatch. */
export interface WorkflowBody<T extends object = object> {
  readonly shape: Shape<T>;
  readonly summary: string;
  readonly example: Readonly<Record<string, unknown>>;
  /** Rules between fields, once each field is fine by itself. */
  problems?(body: T): FieldProblem[];
}

/** A line for each workflow of the domain's table; the compiler misses the one that is not here. */
export const workflowBodies: Readonly<Partial<Record<WorkflowName, WorkflowBody>>> = {
  'model-generator': body({
    shape: ModelGeneratorBody,
    summary:
      'Draw a fashion model from a casting profile, or carry an approved portrait into a full-length figure',
    example: { gender: 'FEMALE', ethnicity: 'indian', heritage: 'south_indian', age_range: '22-26', seed: 7 },
    problems: modelGeneratorProblems,
  }),
  'product-to-model-direct': body({
    shape: ProductToModelDirectBody,
    summary: 'Set the garment of a product photograph on a model',
    example: {
      product_image_s3_key: 'live/01K9Z7G1T9C4W6X2Y8A5S3D7FH/uploads/01K9Z7J0V4M2Q8T6R3N5B1C7DE.jpg',
      output_preset: 'portrait',
    },
    problems: productToModelProblems,
  }),
};

/** Keeps each line's own type until it is in the table. */
function body<T extends object>(line: WorkflowBody<T>): WorkflowBody {
  return line;
}
