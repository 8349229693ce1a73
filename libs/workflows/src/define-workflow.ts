import type { PresetKind } from '#domain/preset/preset.events.js';
import type { Brief, OwnPicture } from '@atelier/engine';
import type { Shape } from '#validation/validate.js';
import type { BriefFacts } from './briefing.js';
import type { DispatchBody } from './common-fields.js';

export type WorkflowClass = 'generator' | 'compose' | 'edit' | 'extract';

/**
 * A field of the request body that refers to something, by its path: `[]` stands for each item of an array, as in
 * `items[].trial_image`. Items of an array are numbered for the engine: `item-0`, `item-1`, …
 *
 * - `storage-key`: the `upload_key` of an upload, or the `s3_key` of an artifact; or its asset id.
 * - `picture`: an asset id; or the id of a job, which stands for the first final picture that it made.
 * - `render`: the id of a job only.
 * - `product`: a product; its primary image is used.
 * - `preset`: a published preset of that kind; or one of the caller's catalogue entries that can replace it.
 * - `category`: a garment category. It gives the engine no picture.
 */
export type Reference = {
  readonly field: string;
  /** The facts that a picture must have in its `meta` for a model that knows only people whom it drew. */
  readonly tells?: OwnPicture;
} & (
  | { readonly by: 'storage-key' | 'picture' | 'render' | 'product'; readonly input: string }
  | { readonly by: 'preset'; readonly kind: PresetKind; readonly input: string }
  | { readonly by: 'category' }
);

/** The array whose items each become a separate job of that workflow. */
interface Batch<Field> {
  readonly field: Field;
  readonly workflow: string;
}

/** The facts for coining a name: the request's body, and the known facts about its pictures. */
export interface NameFacts<Body> {
  readonly seed: number;
  readonly body: Body;
  readonly pictures: readonly (Readonly<Record<string, unknown>> | undefined)[];
  /** The name of the garment's category, for example `Skirt`. */
  readonly category: string | undefined;
}

/** The type of a body as sent: every field may be absent. */
type Sent<T> = T extends readonly (infer Item)[]
  ? readonly Sent<Item>[]
  : T extends object
    ? { readonly [Field in keyof T]?: Sent<T[Field]> }
    : T;

/** One workflow: the whole of `POST /v1/{name}` except its pictures, which engines draw. */
export interface Workflow<Name extends string = string, Body extends object = object> {
  readonly name: Name;
  readonly jobType: string;
  readonly opClass: WorkflowClass;
  /**
   * Flat price of a dispatch in credits, unless the operator sets another; in a batch, the price of each photograph.
   */
  readonly credits: number;
  /** One line, for people. */
  readonly summary: string;
  readonly body: Shape<Body>;
  /**
   * Valid bodies, named by what they show. openapi.json and the tests use them; the tests insert real ids. At least
   * one.
   */
  readonly examples: Readonly<Record<string, Sent<NoInfer<Body>>>>;
  readonly references: readonly Reference[];
  readonly batch?: Batch<string>;
  /**
   * A name for the result when the caller gave none; the same facts give the same name. Empty if results are named
   * after what they show. At most 128 characters, the bound of `display_name`.
   */
  coinName(facts: NameFacts<NoInfer<Body>>): string;
  /**
   * Describes the wanted pictures for engines that do not know the workflow: see {@link Brief}. Pure. Each value of an
   * enumeration in the body changes the brief.
   */
  brief(facts: BriefFacts<NoInfer<Body>>): Brief;
}

/** A workflow that knows its own fields. */
type DeclaredWorkflow<Name extends string, Body extends object> = Workflow<Name, Body> & {
  readonly batch?: Batch<keyof Body>;
};

/** Keeps the type of the body. Without `coinName`, results are named after their content. */
export function defineWorkflow<Name extends string, Body extends DispatchBody>(
  workflow: Omit<DeclaredWorkflow<Name, Body>, 'coinName'> & Partial<Pick<Workflow<Name, Body>, 'coinName'>>,
): DeclaredWorkflow<Name, Body> {
  return { coinName: () => '', ...workflow };
}

/** The values of a choice, which the table maps to words. */
export function valuesOf<Words extends object>(table: Words): (keyof Words)[] {
  // `Object.keys` forgets the type of the keys.
  return Object.keys(table) as (keyof Words)[];
}
