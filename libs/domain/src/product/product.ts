import { aboutPersons } from '../data-subject.js';
import { accept, type Decision, reject } from '../decision.js';
import { erasedText } from '../erased.js';
import type { EventOfType } from '../events.js';
import type { ProductEvent, ProductFacts, ProductImage } from './product.events.js';

export interface KnownProduct extends ProductFacts {
  readonly status: 'active' | 'archived' | 'erased';
  readonly productId: string;
  readonly tenant: string;
  /** ISO 8601. */
  readonly registeredAt: string;
  /** ISO 8601; only of an erased product. */
  readonly erasedAt?: string;
}

/**
 * unregistered → active ⇄ archived. Registering a product again revises it, and restores it if it was archived. Both
 * can become erased; registering an erased product again begins it anew.
 * unregistered → `reference`: the stream belongs to an external reference, and names the product that has it.
 */
export type Product =
  | { readonly status: 'unregistered' }
  | { readonly status: 'reference'; readonly productId: string }
  | KnownProduct;

export const initialProduct: Product = { status: 'unregistered' };

export function evolveProduct(state: Product, event: ProductEvent): Product {
  switch (event.type) {
    case 'ExternalRefAssigned':
      return { status: 'reference', productId: event.data.productId };
    case 'ProductRegistered': {
      const { at, ...facts } = event.data;
      return { status: 'active', ...facts, registeredAt: at };
    }
    case 'ProductRevised': {
      const { productId, tenant, registeredAt } = known(state, event);
      return { status: 'active', productId, tenant, registeredAt, ...factsOf(event.data) };
    }
    case 'ProductArchived':
      return { ...known(state, event), status: 'archived' };
    case 'ProductErased': {
      const product = { ...known(state, event), ...erasedFacts(known(state, event), event.data) };
      if (!event.data.words) return product;
      const { dataSubjects: _, ...withoutPersons } = product;
      return { ...withoutPersons, status: 'erased', erasedAt: event.data.at };
    }
    default:
      return event satisfies never;
  }
}

/** The persons whom the product is about, by its own facts or by its pictures. */
export function personsOf({ dataSubjects, images }: ProductFacts): readonly string[] {
  const named = aboutPersons(dataSubjects, ...images.map((image) => image.dataSubjects));
  return named.dataSubjects ?? [];
}

/** The facts of a product without what ProductErased erased, as a state and as a row have them. */
export function erasedFacts(
  facts: Pick<ProductFacts, 'title' | 'description' | 'images'>,
  { assetIds, words, at }: EventOfType<'ProductErased'>['data'],
): Pick<ProductFacts, 'title' | 'description' | 'images'> {
  const images = facts.images.map((image) => ({
    ...image,
    ...((words || assetIds.includes(image.assetId)) && { sha256: erasedText }),
    ...(words && image.dataSubjects && { dataSubjects: [] }),
    ...(assetIds.includes(image.assetId) && { erasedAt: at }),
  }));
  if (!words) return { title: facts.title, description: facts.description, images };
  return { title: erasedText, description: facts.description === null ? null : erasedText, images };
}

export function primaryImage({ images }: KnownProduct): ProductImage | undefined {
  return images.find(({ role }) => role === 'primary');
}

function known(state: Product, { type }: ProductEvent): KnownProduct {
  if (state.status === 'unregistered' || state.status === 'reference')
    throw new Error(`${type} on a product that was never registered`);
  return state;
}

function factsOf(data: EventOfType<'ProductRevised'>['data']): ProductFacts {
  const { title, externalRef, description, garmentCategoryId, images, dataSubjects } = data;
  return {
    title,
    externalRef,
    description,
    garmentCategoryId,
    images,
    ...aboutPersons(dataSubjects),
  };
}

export type ProductPicture = Omit<ProductImage, 'role'>;

export interface ProductRegistration extends Omit<ProductFacts, 'images'> {
  readonly productId: string;
  readonly tenant: string;
  readonly picture: ProductPicture;
  /** The page photograph from which the picture was extracted, if known. */
  readonly source: ProductPicture | null;
  readonly at: string;
}

/**
 * Most pictures of one product. Beyond it the oldest gallery picture is dropped, so that its events stay small.
 */
export const maxProductImages = 32;

/**
 * Registers a product, or revises an existing one. Its picture becomes the primary one, and the previous
 * primary one moves into the gallery. Facts that the caller leaves out stay. Without a change there is no
 * event.
 */
export function registerProduct(command: ProductRegistration, product: Product): Decision<ProductEvent> {
  const { productId, tenant, at } = command;
  if (product.status === 'reference') throw new Error(`product ${productId} is an external reference`);
  if (product.status === 'unregistered' || product.status === 'erased') {
    const data = { productId, tenant, ...revisedFacts(command, undefined), at };
    return accept({ type: 'ProductRegistered', data });
  }
  const facts = revisedFacts(command, product);
  if (product.status === 'active' && isSame(facts, product)) return accept();
  return accept({ type: 'ProductRevised', data: { ...facts, at } });
}

/**
 * Assigns an external reference to a product that is about to be registered, unless a product has it already.
 * An earlier command may have assigned it, or an earlier release may have registered the product on the
 * reference's own stream.
 */
export function assignExternalRef(
  command: EventOfType<'ExternalRefAssigned'>['data'],
  product: Product,
): Decision<ProductEvent> {
  return product.status === 'unregistered'
    ? accept({ type: 'ExternalRefAssigned', data: { ...command } })
    : accept();
}

function revisedFacts(command: ProductRegistration, before: KnownProduct | undefined): ProductFacts {
  const { title, externalRef, description, garmentCategoryId, picture, source } = command;
  return {
    title,
    externalRef,
    description: description ?? before?.description ?? null,
    garmentCategoryId: garmentCategoryId ?? before?.garmentCategoryId ?? null,
    images: revisedImages(picture, source, before?.images ?? []),
    ...aboutPersons(command.dataSubjects ?? before?.dataSubjects),
  };
}

/** Primary, gallery with the latest first, source: each picture once. */
function revisedImages(
  picture: ProductPicture,
  source: ProductPicture | null,
  before: readonly ProductImage[],
): ProductImage[] {
  const primary: ProductImage = { ...picture, role: 'primary' };
  const earlierSource = before.find(({ role }) => role === 'source_pdp');
  const sources: ProductImage[] = source
    ? [{ ...source, role: 'source_pdp' }]
    : earlierSource
      ? [earlierSource]
      : [];
  const taken = new Set([primary, ...sources].map(({ assetId }) => assetId));
  const gallery = before
    .filter(({ role, assetId }) => role !== 'source_pdp' && !taken.has(assetId))
    .map((image): ProductImage => ({ ...image, role: 'gallery' }))
    .slice(0, maxProductImages - 1 - sources.length);
  return [primary, ...gallery, ...sources.filter(({ assetId }) => assetId !== primary.assetId)];
}

function isSame(facts: ProductFacts, product: KnownProduct): boolean {
  const { images } = product;
  return (
    facts.title === product.title &&
    facts.externalRef === product.externalRef &&
    facts.description === product.description &&
    facts.garmentCategoryId === product.garmentCategoryId &&
    facts.images.length === images.length &&
    facts.images.every(
      ({ assetId, role }, index) => images[index]?.assetId === assetId && images[index].role === role,
    ) &&
    facts.dataSubjects?.join('\0') === product.dataSubjects?.join('\0')
  );
}

/** The changes; absent fields stay. */
export interface ProductRevision extends Partial<Omit<ProductFacts, 'images' | 'externalRef'>> {
  readonly picture?: { readonly primary: ProductPicture; readonly source: ProductPicture | null };
  /** References to an archived product fail until it is active again. */
  readonly status?: 'active' | 'archived';
  readonly at: string;
}

/** Changes a product, archives it, or restores it. Without a change there is no event. */
export function reviseProduct(
  { picture, status, at, ...changes }: ProductRevision,
  product: Product,
): Decision<ProductEvent, { readonly code: 'PRODUCT_NOT_FOUND' | 'PRODUCT_ERASED' }> {
  if (product.status === 'unregistered' || product.status === 'reference') {
    return reject({ code: 'PRODUCT_NOT_FOUND' });
  }
  if (product.status === 'erased') return reject({ code: 'PRODUCT_ERASED' });
  const images = picture ? revisedImages(picture.primary, picture.source, product.images) : product.images;
  const { title, externalRef, description, garmentCategoryId, dataSubjects } = { ...product, ...changes };
  const about = aboutPersons(dataSubjects);
  const facts = { title, externalRef, description, garmentCategoryId, images, ...about };
  const wanted = status ?? product.status;
  // A revision makes a product active.
  const isRevised = !isSame(facts, product) || (wanted === 'active' && product.status === 'archived');
  const isArchived = wanted === 'archived' && (isRevised || product.status === 'active');
  return accept<ProductEvent>(
    ...(isRevised ? [{ type: 'ProductRevised' as const, data: { ...facts, at } }] : []),
    ...(isArchived
      ? [{ type: 'ProductArchived' as const, data: { reason: 'Archived by its owner.', at } }]
      : []),
  );
}

/** Erases pictures of a product, and its words if `words`. Erasing them again changes nothing. */
export function eraseProduct(
  command: EventOfType<'ProductErased'>['data'],
  product: Product,
): Decision<ProductEvent, { readonly code: 'PRODUCT_NOT_FOUND' }> {
  if (!('tenant' in product) || product.tenant !== command.tenant)
    return reject({ code: 'PRODUCT_NOT_FOUND' });
  const shown = product.images.filter(({ erasedAt }) => erasedAt === undefined);
  const assetIds = command.assetIds.filter((id) => shown.some(({ assetId }) => assetId === id));
  const words = command.words && product.status !== 'erased';
  return words || assetIds.length > 0
    ? accept({ type: 'ProductErased', data: { ...command, assetIds, words } })
    : accept();
}
