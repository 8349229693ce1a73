import type { ImageEngine } from '@atelier/engine';
import { installed } from '#capabilities/installed.js';
import type { ImageModel } from './image-models.js';

/** A model as its engine gets it: the registry's entry, with the key instead of its variable's name. */
export interface DeclaredModel extends Omit<ImageModel, 'model'> {
  readonly model: string;
  readonly currency: string;
  readonly secret: string | undefined;
}

/** The mark of the test environment for a picture of a size: an SVG. */
export type TestMark = (width: number, height: number) => string;

/** Makes the engines of a family. */
export interface EngineMaker {
  open(model: DeclaredModel, testMark: TestMark): ImageEngine | Promise<ImageEngine>;
  /** Asks what can be asked of a model without cost. @returns a line for people @throws an Error that says what is wrong */
  check(model: DeclaredModel, signal: AbortSignal): Promise<string>;
}

/** A family of image models, as a capability declares it. */
export interface EngineFamily {
  /** Whether its models may draw on transparent ground. */
  readonly transparent: boolean;
  /** Whether it has vision models, which read photographs. */
  readonly reads: boolean;
  /** Finds what fits the registry's schema and would fail at run time: a member's path, and what is wrong there. */
  readonly mistakes?: (model: ImageModel) => readonly (readonly [member: `/${string}`, says: string])[];
  /** Limits a model to what its family can make, so that a dispatch refuses what the vendor would refuse. */
  readonly within?: (model: ImageModel) => ImageModel;
  /** The first part whose picture the model cannot take. Without it, a model takes pictures of any part. */
  readonly withoutPlace?: (model: ImageModel, parts: readonly string[]) => string | undefined;
  /** The code, which a process loads when the first picture of a model is asked for. */
  readonly load: () => Promise<EngineMaker>;
}

/** The families of the installed capabilities, by the name that the registry calls them. The sandbox is none of them. */
export const engineFamilies: Readonly<Record<string, EngineFamily>> = Object.fromEntries(
  installed.flatMap(({ engines }) => Object.entries(engines ?? {})),
);
