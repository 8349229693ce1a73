export type OperationClass = 'generator' | 'compose' | 'edit' | 'extract';

/**
 * A field of the request body that names a picture.
 * `upload-key`: the `upload_key` of an upload. `picture`: an asset id, or the id of a job, which stands for its finished render.
 */
export interface PictureReference {
  readonly field: string;
  readonly by: 'upload-key' | 'picture';
  /** What the engine calls the picture. */
  readonly input: string;
}

/** One workflow: what `POST /v1/{name}` is, what it costs, and which pictures its body may name. */
export interface Workflow {
  readonly name: string;
  readonly jobType: string;
  readonly opClass: OperationClass;
  /** Flat price of a dispatch, in credits. */
  readonly credits: number;
  readonly pictures: readonly PictureReference[];
}

/** Every workflow there is. To add one: a line here, its body in `apps/api`, its renderer in `libs/engines`. */
export const workflows = [
  {
    name: 'model-generator',
    jobType: 'MODEL_GENERATOR',
    opClass: 'generator',
    credits: 5,
    pictures: [
      { field: 'portrait_image_public_id', by: 'picture', input: 'portrait_image' },
      // A model spec goes by the job that minted it, and that job's picture is the portrait.
      { field: 'model_spec_public_id', by: 'picture', input: 'portrait_image' },
    ],
  },
  {
    name: 'product-to-model-direct',
    jobType: 'PRODUCT_TO_MODEL_DIRECT',
    opClass: 'compose',
    credits: 10,
    pictures: [
      { field: 'product_image_s3_key', by: 'upload-key', input: 'product_image' },
      { field: 'model_image_public_id', by: 'picture', input: 'model_image' },
      { field: 'background_image_public_id', by: 'picture', input: 'background_image' },
    ],
  },
] as const satisfies readonly Workflow[];

export type WorkflowName = (typeof workflows)[number]['name'];

const byName = new Map<string, Workflow>(workflows.map((workflow) => [workflow.name, workflow]));

/** @throws RangeError for a name that is not in the table */
export function workflowOf(name: string): Workflow {
  const workflow = byName.get(name);
  if (!workflow) throw new RangeError(`there is no workflow ${name}`);
  return workflow;
}
