import type { FinishedPicture } from '#application/render/finished-pictures.js';
import type { CoveringSeal } from '../capability.js';
import type { ActionTaken, Ingredient, Statement } from './manifest.js';

/** The label of our own assertion. */
export const orderLabel = 'atelier.order';

/** The event that ordered the picture, by which anyone with access to the log finds everything else. */
export interface OrderedBy {
  readonly id: string;
  readonly stream: string;
  readonly revision: bigint;
  readonly position: bigint;
}

/** Our own assertion. It names no person and no tenant. */
export interface OrderAssertion {
  readonly job: string;
  readonly picture: string;
  readonly workflow: string;
  readonly environment: string;
  readonly engine: string;
  /** Absent in pictures on the way, which engines report before they name their model. */
  readonly model?: string;
  /** SHA-256 in hex. */
  readonly inputs: readonly { readonly name: string; readonly sha256: string }[];
  /** The job's event JobQueued. Its position counts in the log that it was first written to. */
  readonly ordered_by: {
    readonly event: string;
    readonly stream: string;
    readonly revision: number;
    readonly position: string;
  };
  /** The seal that covers that event. Absent if there was none yet. */
  readonly seal?: { readonly number: number; readonly root: string; readonly key: string };
}

const iptc = 'http://cv.iptc.org/newscodes/digitalsourcetype';

/** Makes the statements about a picture. All of it comes from the log: nothing from a clock, nothing at random. */
export function statementOf(
  picture: FinishedPicture,
  generator: Statement['generator'],
  ordered: OrderedBy,
  seal: CoveringSeal | undefined,
): Statement {
  const parent = parentOf(picture);
  const ingredients = picture.inputs.map(({ name, sha256 }, index): Ingredient => ({
    title: name,
    relationship: index === parent ? 'parentOf' : 'inputTo',
    sha256,
  }));
  const own = { label: orderLabel, data: orderOf(picture, ordered, seal) };
  return { subject: picture.assetId, generator, actions: actionsOf(picture, parent), ingredients, own };
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

function actionsOf(picture: FinishedPicture, parent: number): ActionTaken[] {
  const { startedAt, engine, model, digitalSource, inputs } = picture;
  const softwareAgent = { name: model ?? engine, ...(model !== undefined && { version: engine }) };
  const done = { when: startedAt.toISOString(), softwareAgent };
  const others = inputs.map((_, index) => index).filter((index) => index !== parent);
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
