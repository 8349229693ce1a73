import type { ImageEngine } from '@atelier/engine';
import { installed } from '#capabilities/installed.js';
import type { ImageModel } from './image-models.js';

/**
 * A model in the form that its engine gets: the registry's entry, with the key in place of its variable's name.
 */
export interface DeclaredModel extends Omit<ImageModel, 'model'> {
  readonly model: string;
  readonly currency: string;
  readonly secret: string | undefined;
}

/** Draws the mark of the test environment, an SVG, for a picture of this size. */
export type TestMark = (width: number, height: number) => string;

/** Makes the engines of a family. */
export interface EngineMaker {
  open(model: DeclaredModel, testMark: TestMark): ImageEngine | Promise<ImageEngine>;
  /**
   * Checks a model as far as that is possible without cost. @returns a line for people @throws an Error that
   * says what is wrong
   */
  check(model: DeclaredModel, signal: AbortSignal): Promise<string>;
  /**
   * Has the vendor delete what it keeps of a call. May be repeated. Only of families that say `erases`.
   * @throws EngineError
   */
  erase?(model: DeclaredModel, vendorRequestId: string, signal: AbortSignal): Promise<void>;
}

/** A family of image models, as a capability declares it. */
export interface EngineFamily {
  /** Whether its models may draw on transparent ground. */
  readonly transparent: boolean;
  /** Whether it has vision models, which read photographs. */
  readonly reads: boolean;
  /** Whether its vendor deletes what it keeps of a call when it is asked. Default: no. */
  readonly erases?: boolean;
  /**
   * Finds mistakes that fit the registry's schema and would fail at run time: a member's path, and what is
   * wrong there.
   */
  readonly mistakes?: (model: ImageModel) => readonly (readonly [member: `/${string}`, says: string])[];
  /** Limits a model to what its family can make. So a dispatch refuses what the vendor would refuse. */
  readonly within?: (model: ImageModel) => ImageModel;
  /**
   * The first part whose picture the model cannot take. If this is absent, a model takes pictures of any part.
   */
  readonly withoutPlace?: (model: ImageModel, parts: readonly string[]) => string | undefined;
  /** The code. A process loads it when the first picture of a model is requested. */
  readonly load: () => Promise<EngineMaker>;
}

/** The families of the installed capabilities, by their name in the registry. The sandbox is none of them. */
export const engineFamilies: Readonly<Record<string, EngineFamily>> = Object.fromEntries(
  installed.flatMap(({ engines }) => Object.entries(engines ?? {})),
);
