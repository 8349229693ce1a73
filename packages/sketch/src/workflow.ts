import type { Renderer, RenderRequest } from '@atelier/engine';

/** One workflow's way of drawing. Stages go through `context.onStage`; the result holds the final pictures. */
export type Workflow = Renderer<RenderRequest['body']>;

export const MODEL = 'sketch-1';
