import type { RenderContext, RenderRequest, RenderResult } from '@atelier/engine';

/** One workflow's way of drawing. Stages go through `context.onStage`; the result holds the final pictures. */
export type Workflow = (request: RenderRequest, context: RenderContext) => Promise<RenderResult>;

export const MODEL = 'sketch-1';
