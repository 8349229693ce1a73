import type { PresetKind } from '#domain/preset/preset.events.js';
import type { Brief, OwnPicture } from '@atelier/engine';
import type { Shape } from '#validation/validate.js';
import type { BriefFacts } from './briefing.js';

export type WorkflowClass = 'generator' | 'compose' | 'edit' | 'extract';

/**
 * A field of the request body that refers to something, by its path: `[]` stands for each item of an array, as in
 * `items[].trial_image`. Items of an array are numbered for the engine: `item-0`, `item-1`, …
 *
 * - `storage-key`: the `upload_key` of an upload, or the `s3_key` of an artifact; or its asset id.
 * - `picture`: an asset id; or the id of a job, which stands for the first final picture that it made.
 * - `render`: the id of a job only.
 * - `product`: a product, which stands for its primary image.
 * - `preset`: a published preset of that kind; or a catalogue entry of the caller's own that can take its place.
 * - `category`: a garment category. It gives the engine no picture.
 */
export type Reference = {
  readonly field: string;
  /** What the picture has to tell of itself for a model that knows no people but those whom it drew. */
  readonly tells?: OwnPicture;
} & (
  | { readonly by: 'storage-key' | 'picture' | 'render' | 'product'; readonly input: string }
  | { readonly by: 'preset'; readonly kind: PresetKind; readonly input: string }
  | { readonly by: 'category' }
);

/** The array whose items each become a job of their own, of that workflow. */
interface Batch<Field> {
  readonly field: Field;
  readonly workflow: string;
}

/** What a name may be coined from: the request's body, and what is known about the pictures it refers to. */
export interface NameFacts<Body> {
  readonly seed: number;
  readonly body: Body;
  readonly pictures: readonly (Readonly<Record<string, unknown>> | undefined)[];
  /** What the garment's category is called, for example `Skirt`. */
  readonly category: string | undefined;
}

/** What a caller sends for a body: every field may be absent. */
type Sent<T> = T extends readonly (infer Item)[]
  ? readonly Sent<Item>[]
  : T extends object
    ? { readonly [Field in keyof T]?: Sent<T[Field]> }
    : T;

/** One workflow: all that `POST /v1/{name}` is but its pictures, which an engine's renderer of that name draws. */
export interface Workflow<Name extends string = string, Body extends object = object> {
  readonly name: Name;
  readonly jobType: string;
  readonly opClass: WorkflowClass;
  /** Flat price of a dispatch in credits, before the operator decides otherwise; of each photograph for a batch. */
  readonly credits: number;
  /** One line, for people. */
  readonly summary: string;
  readonly body: Shape<Body>;
  /** Bodies that validate, by what they show: for openapi.json, and for the tests, which put real ids in. At least one. */
  readonly examples: Readonly<Record<string, Sent<NoInfer<Body>>>>;
  readonly references: readonly Reference[];
  readonly batch: Batch<string> | undefined;
  /**
   * A name for the result when the caller gave none; the same facts give the same name. Empty where results go by what
   * they show. At most 128 characters, the bound of `display_name`.
   */
  coinName(facts: NameFacts<NoInfer<Body>>): string;
  /**
   * What is wanted, for engines that know no workflow: see {@link Brief}. Pure. Every value that an enumeration of the
   * body may have makes a difference in it.
   */
  brief(facts: BriefFacts<NoInfer<Body>>): Brief;
}

/** A workflow that knows its own fields. */
type DeclaredWorkflow<Name extends string, Body extends object> = Workflow<Name, Body> & {
  readonly batch: Batch<keyof Body> | undefined;
};

/** Keeps the type of the body. A declaration that leaves a part out does not compile. */
export function defineWorkflow<Name extends string, Body extends object>(
  workflow: DeclaredWorkflow<Name, Body>,
): DeclaredWorkflow<Name, Body> {
  return workflow;
}

/** The values of a choice, of which each has its words. */
export function valuesOf<Words extends object>(table: Words): (keyof Words)[] {
  // `Object.keys` forgets the type of the keys.
  return Object.keys(table) as (keyof Words)[];
}

/** For workflows whose results go by what they show. */
export const noName = (): string => '';
