/** What openapi.json says of the workflows: made by build.mjs. */
declare module 'virtual:workflows' {
  import type { DescribedWorkflow, BodySchema } from './body-schema.js';

  export const workflows: readonly DescribedWorkflow[];
  export const schemas: Readonly<Record<string, BodySchema>>;
}
