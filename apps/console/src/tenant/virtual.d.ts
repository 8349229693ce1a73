/** The workflows as openapi.json describes them. build.mjs makes this module. */
declare module 'virtual:workflows' {
  import type { DescribedWorkflow, BodySchema } from './body-schema.js';

  export const workflows: readonly DescribedWorkflow[];
  export const schemas: Readonly<Record<string, BodySchema>>;
}
