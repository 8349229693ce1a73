import { Injectable, Optional } from '@nestjs/common';
import { ownPictures, type OwnPicture } from '@atelier/engine';
import type { KnownAsset } from '#domain/asset/asset.js';
import { canReplacePreset } from '#domain/catalog/catalog.js';
import { aboutPersons, type AboutPersons } from '#domain/data-subject.js';
import { categoryById } from '#domain/garment/garment-categories.js';
import type { JobInputImage } from '#domain/job/job.events.js';
import type { PresetKind } from '#domain/preset/preset.events.js';
import { primaryImage } from '#domain/product/product.js';
import { streamName } from '#domain/streams.js';
import { isId } from '#platform/ids.js';
import type { Workflow, Reference } from '#workflows/define-workflow.js';
import { EventStore } from '#event-store/event-store.js';
import { load } from '../aggregate.js';
import { DispatchCheck, type CheckAnswer, type CheckRefusal } from './dispatch-check.js';
import { personsOfRequest, type JobMaterial } from './dispatched-jobs.js';
import { StoredPictures, type Owner } from '../picture/stored-pictures.js';
import { presetAggregate } from '../preset/manage-presets.handler.js';
import { productAggregate } from '../product/manage-products.handler.js';

/**
 * The reference in `field` names nothing that this tenant may use: unknown, foreign and unfinished look the
 * same. Only the tenant's own retired items differ: `isRetired`.
 */
interface UnknownReference {
  readonly isRetired: boolean;
  /** For people: `items[1].trial_image`. */
  readonly field: string;
  /** From the request: `['body', 'items', 1, 'trial_image']`. */
  readonly loc: readonly (string | number)[];
}

/** The image model cannot work on the picture in this field. */
export interface UnfitReference {
  readonly loc: readonly (string | number)[];
  /** The property that the picture lacks. */
  readonly lacks: OwnPicture;
}

/** The caller's own picture or product in this field was erased. */
export interface ErasedReference extends Erased {
  readonly field: string;
}

interface Erased {
  readonly what: 'picture' | 'product';
  /** ISO 8601. */
  readonly erasedAt: string;
}

export type UnusableReference =
  | ({ readonly kind: 'unknown-reference' } & UnknownReference)
  | ({ readonly kind: 'erased-reference' } & ErasedReference)
  | ({ readonly kind: 'unfit-reference' } & UnfitReference);

interface FoundMaterial {
  readonly kind: 'found';
  readonly material: JobMaterial;
  /** A capability does not allow the use of a person's pictures. */
  readonly refusal?: CheckRefusal;
}

type ResolvedReferences = FoundMaterial | UnusableReference;

/** A request's body, its caller, and the limits of its image model. */
interface Referring {
  readonly body: Readonly<Record<string, unknown>>;
  readonly caller: Owner;
  /** The image model knows only the people that it drew. */
  readonly drawnPeopleOnly?: boolean;
  readonly at: Date;
}

type FoundPicture = Omit<JobInputImage, 'name'>;

type Found = FoundPicture | Erased | 'retired' | undefined;

/** `{env}/{tenant}/uploads/{asset}.ext` or `{env}/{tenant}/renders/{job}/{asset}.ext`. */
const assetIdOfKey =
  /^(?:live|test)\/[^/]+\/(?:uploads|renders(?:\/[^/]+)?)\/([0-9A-HJKMNP-TV-Z]{26})\.[a-z]+$/;

/**
 * Finds the pictures that a request body names, and checks that the caller may use them. Each is read from its
 * own stream, so it is usable as soon as the request that made it is answered. All references of a body are
 * looked up in parallel.
 */
@Injectable()
export class References {
  constructor(
    private readonly store: EventStore,
    private readonly pictures: StoredPictures,
    @Optional() private readonly checks?: DispatchCheck,
  ) {}

  /**
   * Returns the job's pictures in the order of the workflow's table. Otherwise returns the first unusable
   * reference: it names nothing, or is a photograph although the model can only work on its own drawings. If the
   * request is about persons, the checks of capabilities have the last word.
   */
  async resolve(
    workflow: Workflow,
    { body, caller, drawnPeopleOnly, at }: Referring,
  ): Promise<ResolvedReferences> {
    const named = findReferences(workflow.references, body);
    const found = await Promise.all(named.map((each) => this.find(each, caller)));
    const known: (NamedReference & { readonly picture: FoundPicture | 'no picture' })[] = [];
    for (const [index, each] of named.entries()) {
      const picture = found[index];
      const { loc } = each;
      if (!picture || picture === 'retired')
        return { kind: 'unknown-reference', isRetired: picture === 'retired', field: fieldAt(loc), loc };
      if (typeof picture === 'object' && 'erasedAt' in picture)
        return { kind: 'erased-reference', ...picture, field: fieldAt(loc) };
      known.push({ ...each, picture });
    }
    const inputs = new Map<string, JobInputImage>();
    for (const { input, loc, reference, picture } of known) {
      const lacks = drawnPeopleOnly ? reference.tells : undefined;
      if (lacks && picture !== 'no picture' && !ownPictures[lacks](picture.meta))
        return { kind: 'unfit-reference', loc, lacks };
      // Two fields with the same input exclude each other or mean the same, so the first one counts.
      if (input === undefined || picture === 'no picture' || inputs.has(input)) continue;
      inputs.set(input, { name: input, ...picture });
    }
    const pictures = [...inputs.values()];
    const about = personsOfRequest(workflow, body, pictures);
    const { dataSubjects } = about;
    const answer = dataSubjects && (await this.permitted(workflow, caller, dataSubjects, at));
    const permits = answer?.kind === 'allowed' && answer.permits;
    return {
      kind: 'found',
      material: { inputs: pictures, ...about, ...(permits && { permits: [...permits] }) },
      ...(answer?.kind === 'refused' && { refusal: answer.refusal }),
    };
  }

  private permitted(
    { name, batch }: Workflow,
    { environment, tenant }: Owner,
    dataSubjects: readonly string[],
    at: Date,
  ): Promise<CheckAnswer> | undefined {
    const workflow = batch?.workflow ?? name;
    return this.checks?.check({ environment, tenant, workflow, dataSubjects, at });
  }

  private async find({ reference, value }: NamedReference, caller: Owner): Promise<Found | 'no picture'> {
    switch (reference.by) {
      case 'storage-key':
        return isId(value) ? this.asset(caller, value) : this.byStorageKey(caller, value);
      case 'picture':
        return (await this.asset(caller, value)) ?? (await this.render(caller, value));
      case 'render':
        return this.render(caller, value);
      case 'product':
        return this.product(caller, value);
      case 'preset':
        return (
          (await this.preset(caller, value, reference.kind)) ?? this.entry(caller, value, reference.kind)
        );
      case 'category':
        return categoryById(value) && 'no picture';
      default:
        return reference satisfies never;
    }
  }

  private async byStorageKey(caller: Owner, key: string): Promise<Found> {
    const assetId = assetIdOfKey.exec(key)?.[1];
    const asset = assetId === undefined ? undefined : await this.pictures.asset(caller, assetId);
    return asset?.storageKey === key ? this.described(caller, asset) : undefined;
  }

  private async asset(caller: Owner, assetId: string): Promise<Found> {
    const asset = await this.pictures.asset(caller, assetId);
    return asset && this.described(caller, asset);
  }

  /** The first final picture of a job that succeeded. A render has the id of its job. */
  private async render(caller: Owner, jobId: string): Promise<Found> {
    const job = await this.pictures.job(caller, jobId);
    const picture = job?.results.find(({ role }) => role === 'final');
    if (!picture) return undefined;
    const asset = await this.pictures.asset(caller, picture.assetId);
    return unusable(asset) ?? pictureOf(picture, { ...picture, ...aboutPersons(job?.dataSubjects) });
  }

  private async product(caller: Owner, productId: string): Promise<Found> {
    const stream = streamName(caller.environment, 'product', productId);
    const { state: product } = await load(this.store, stream, productAggregate);
    if (!('tenant' in product) || product.tenant !== caller.tenant) return undefined;
    if (product.erasedAt !== undefined) return { what: 'product', erasedAt: product.erasedAt };
    if (product.status !== 'active') return undefined;
    const image = primaryImage(product);
    const found = image && ((await this.asset(caller, image.assetId)) ?? pictureOf(image));
    return typeof found === 'object' && !('erasedAt' in found)
      ? pictureOf(found, { ...found, ...aboutPersons(product.dataSubjects) })
      : found;
  }

  private async preset(
    { environment }: Owner,
    presetId: string,
    kind: PresetKind,
  ): Promise<FoundPicture | undefined> {
    const stream = streamName(environment, 'preset', presetId);
    const { state } = await load(this.store, stream, presetAggregate);
    if (state.status !== 'published' || state.preset.kind !== kind) return undefined;
    const { image, spec } = state.preset;
    return pictureOf({ assetId: presetId, ...image }, { meta: spec });
  }

  /** One of the caller's catalogue entries in place of a preset. */
  private async entry(caller: Owner, assetId: string, kind: PresetKind): Promise<Found> {
    const asset = await this.pictures.asset(caller, assetId);
    if (!asset || asset.jobId === null) return undefined;
    const job = await this.pictures.job(caller, asset.jobId);
    const entry = job?.results.find((artifact) => artifact.assetId === assetId);
    if (!entry || !canReplacePreset(entry.kind, kind)) return undefined;
    return unusable(asset) ?? pictureOf(asset, { ...entry, ...aboutPersons(job?.dataSubjects) });
  }

  private async described(caller: Owner, asset: KnownAsset): Promise<Found> {
    return unusable(asset) ?? pictureOf(asset, await this.pictures.artifact(caller, asset));
  }
}

/** Undefined: it can be used. */
function unusable(asset: KnownAsset | undefined): Erased | 'retired' | undefined {
  if (asset?.erasedAt !== undefined) return { what: 'picture', erasedAt: asset.erasedAt };
  return asset?.retiredAt === undefined ? undefined : 'retired';
}

/** @param facts what is known beside the picture: its `meta`, and further persons */
function pictureOf(
  { assetId, storageKey, sha256, dataSubjects }: Omit<FoundPicture, 'meta'>,
  facts: Pick<FoundPicture, 'meta'> & AboutPersons = {},
): FoundPicture {
  const { meta } = facts;
  const about = aboutPersons(dataSubjects, facts.dataSubjects);
  return { assetId, storageKey, sha256, ...(meta && { meta }), ...about };
}

interface NamedReference {
  readonly reference: Reference;
  /** The value in the body: an id, or a storage key. */
  readonly value: string;
  /** Its path in the request: `['body', 'items', 1, 'trial_image']`. */
  readonly loc: readonly (string | number)[];
  /**
   * The engine's name for the picture; `item-1` in an array. Undefined if the engine does not get the picture.
   */
  readonly input: string | undefined;
}

/** The references of a validated body, in the order of the workflow's table. Absent fields have none. */
export function findReferences(
  references: readonly Reference[],
  body: Readonly<Record<string, unknown>>,
): NamedReference[] {
  return references.flatMap((reference) =>
    valuesAt(body, reference.field.split('.'), ['body']).flatMap(({ value, loc }) => {
      if (typeof value !== 'string') return [];
      const index = loc.find((part) => typeof part === 'number');
      const name = 'input' in reference ? reference.input : undefined;
      const input = name !== undefined && index !== undefined ? `${name}-${index}` : name;
      return [{ reference, value, loc, input }];
    }),
  );
}

/** `['body', 'items', 1, 'trial_image']` → `items[1].trial_image`. */
export function fieldAt([, ...path]: NamedReference['loc']): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text ? `${text}.${part}` : part),
    '',
  );
}

type Place = Pick<NamedReference, 'loc'> & { readonly value: unknown };

function valuesAt(value: unknown, path: readonly string[], loc: NamedReference['loc']): Place[] {
  const [part, ...rest] = path;
  if (part === undefined) return [{ value, loc }];
  if (typeof value !== 'object' || value === null) return [];
  const name = part.replace('[]', '');
  // Safe cast: it is an object, and its fields can be anything.
  const member = (value as Record<string, unknown>)[name];
  if (name === part) return valuesAt(member, rest, [...loc, name]);
  if (!Array.isArray(member)) return [];
  return member.flatMap((item, index) => valuesAt(item, rest, [...loc, name, index]));
}
