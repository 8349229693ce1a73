import type { ImageEngine } from '@atelier/engine';

/** The engines of this installation. */
export abstract class ImageEngines {
  /** The engine that renders a workflow, by the workflow's kebab-case name. */
  abstract engineFor(workflow: string): ImageEngine;
}
