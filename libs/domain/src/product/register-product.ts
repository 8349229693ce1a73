import type { EventOfType } from '../events.js';
import { accept, type Decision } from '../decision.js';
import type { ProductEvent, ProductFacts, ProductImage } from './product.events.js';
import type { KnownProduct, Product } from './product.js';

export type ProductPicture = Omit<ProductImage, 'role'>;

export interface RegisterProduct extends Omit<ProductFacts, 'images'> {
  readonly productId: string;
  readonly tenant: string;
  readonly picture: ProductPicture;
  /** The page photograph from which the picture was extracted, where that is known. */
  readonly source: ProductPicture | null;
  readonly at: string;
}

/** Pictures of one product at most; beyond it the oldest gallery picture makes room, so that its events stay small. */
export const maxProductImages = 32;

/**
 * Registers a product; one that is there already is revised. Its picture becomes the primary one and the primary one
 * of before moves into the gallery. What the caller does not say stays as it is. Nothing new: no event.
 */
export function registerProduct(command: RegisterProduct, product: Product): Decision<ProductEvent> {
  const { productId, tenant, at } = command;
  if (product.status === 'reference') throw new Error(`product ${productId} is an external reference`);
  if (product.status === 'unregistered') {
    const data = { productId, tenant, ...revisedFacts(command, undefined), at };
    return accept({ type: 'ProductRegistered', data });
  }
  const facts = revisedFacts(command, product);
  if (product.status === 'active' && isSame(facts, product)) return accept();
  return accept({ type: 'ProductRevised', data: { ...facts, at } });
}

/**
 * Gives an external reference to a product that is about to be registered, unless a product has it: one that it was
 * given to before, or one of an earlier release, which is registered on the stream of the reference itself.
 */
export function assignExternalRef(
  command: EventOfType<'ExternalRefAssigned'>['data'],
  product: Product,
): Decision<ProductEvent> {
  return product.status === 'unregistered'
    ? accept({ type: 'ExternalRefAssigned', data: { ...command } })
    : accept();
}

function revisedFacts(command: RegisterProduct, before: KnownProduct | undefined): ProductFacts {
  const { title, externalRef, description, garmentCategoryId, picture, source } = command;
  return {
    title,
    externalRef,
    description: description ?? before?.description ?? null,
    garmentCategoryId: garmentCategoryId ?? before?.garmentCategoryId ?? null,
    images: revisedImages(picture, source, before?.images ?? []),
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
    )
  );
}
