import { hash } from 'node:crypto';
import type { FinishedPicture } from '#application/render/finished-pictures.js';
import type { CoveringSeal } from '../capability.js';
import { inherit } from './inherited-manifests.js';
import type { ActionTaken, Ingredient, Statement } from './manifest.js';
import { orderLabel, type OrderAssertion } from './order-assertion.js';
import type { Credentials } from './read-credentials.js';

/** The event that ordered the picture, by which anyone with access to the log finds everything else. */
export interface OrderedBy {
  readonly id: string;
  readonly stream: string;
  readonly revision: bigint;
  readonly position: bigint;
}

/** What is known about a picture besides its making. */
export interface KnownOfPicture {
  readonly ordered: OrderedBy;
  readonly seal?: CoveringSeal | undefined;
  /** The credentials of its inputs, in their order. */
  readonly inputs?: readonly (Credentials | undefined)[];
  /** The credentials of the bytes that the image model sent. */
  readonly answer?: Credentials | undefined;
}

const iptc = 'http://cv.iptc.org/newscodes/digitalsourcetype';

/** Makes the statements about a picture. All of it comes from the log: nothing from a clock, nothing at random. */
export function statementOf(
  picture: FinishedPicture,
  generator: Statement['generator'],
  { ordered, seal, inputs = [], answer }: KnownOfPicture,
): Statement {
  const ingredients = ingredientsOf(picture, inputs, answer);
  const own = { label: orderLabel, data: orderOf(picture, ordered, seal) };
  const actions = actionsOf(picture, ingredients);
  return { subject: picture.assetId, generator, actions, ingredients, own };
}

/**
 * A model's answer that has credentials is the parent, because the picture is an edited form of it: a manifest has at
 * most one parent. Without such an answer, an input may be the parent.
 */
function ingredientsOf(
  picture: FinishedPicture,
  inputs: readonly (Credentials | undefined)[],
  answer: Credentials | undefined,
): Ingredient[] {
  const [first, ...rest] = inherit([answer, ...inputs]);
  const parent = answer ? -1 : parentOf(picture);
  const taken = picture.inputs.map(({ name, sha256 }, index): Ingredient => ({
    title: name,
    relationship: index === parent ? 'parentOf' : 'inputTo',
    sha256,
    inherited: rest[index],
  }));
  if (!answer || !picture.original) return taken;
  const sha256 = hash('sha256', picture.original);
  const title = 'answer of the image model';
  return [{ title, relationship: 'parentOf', sha256, inherited: first }, ...taken];
}

/**
 * The input that the picture is an edited form of; -1: it is a new picture, drawn after its inputs. A photograph that
 * is shown unchanged has a parent if there is only one that it can be.
 */
function parentOf({ inputs, digitalSource }: FinishedPicture): number {
  if (digitalSource === null) return inputs.length === 1 ? 0 : -1;
  if (!digitalSource.startsWith('composite')) return -1;
  return inputs.findIndex(({ name }) => name === 'source_image');
}

function actionsOf(picture: FinishedPicture, ingredients: readonly Ingredient[]): ActionTaken[] {
  const { startedAt, engine, model, digitalSource } = picture;
  const softwareAgent = { name: model ?? engine, ...(model !== undefined && { version: engine }) };
  const done = { when: startedAt.toISOString(), softwareAgent };
  const parent = ingredients.findIndex(({ relationship }) => relationship === 'parentOf');
  const others = ingredients.map((_, index) => index).filter((index) => index !== parent);
  const source = `${iptc}/${digitalSource ?? 'composite'}`;
  if (parent < 0)
    return [{ ...done, action: 'c2pa.created', digitalSourceType: source, ingredients: others }];
  const opened: ActionTaken = { ...done, action: 'c2pa.opened', ingredients: [parent] };
  if (digitalSource === null) return [opened];
  return [opened, { ...done, action: 'c2pa.edited', digitalSourceType: source, ingredients: others }];
}

function orderOf(
  { jobId, assetId, operation, environment, engine, model, inputs }: FinishedPicture,
  { id, stream, revision, position }: OrderedBy,
  seal: CoveringSeal | undefined,
): OrderAssertion {
  return {
    job: jobId,
    picture: assetId,
    workflow: operation,
    environment,
    engine,
    ...(model !== undefined && { model }),
    inputs: inputs.map(({ name, sha256 }) => ({ name, sha256 })),
    ordered_by: { event: id, stream, revision: Number(revision), position: String(position) },
    ...(seal && { seal: { number: seal.number, root: seal.root, key: seal.key } }),
  };
}
