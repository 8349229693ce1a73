import type { EventOfType } from '../events.js';
import type { ProductEvent, ProductFacts, ProductImage } from './product.events.js';

export interface KnownProduct extends ProductFacts {
  readonly status: 'active' | 'archived';
  readonly productId: string;
  readonly tenant: string;
  /** ISO 8601. */
  readonly registeredAt: string;
}

/**
 * unregistered → active ⇄ archived. Registering it again revises it, and brings an archived one back.
 * unregistered → `reference`: the stream belongs to an external reference, and names the product that has it.
 */
export type Product =
  | { readonly status: 'unregistered' }
  | { readonly status: 'reference'; readonly productId: string }
  | KnownProduct;

export const initialProduct: Product = { status: 'unregistered' };

export function evolve(state: Product, event: ProductEvent): Product {
  switch (event.type) {
    case 'ExternalRefAssigned':
      return { status: 'reference', productId: event.data.productId };
    case 'ProductRegistered': {
      const { at, ...facts } = event.data;
      return { status: 'active', ...facts, registeredAt: at };
    }
    case 'ProductRevised':
      return { ...known(state, event), ...factsOf(event.data), status: 'active' };
    case 'ProductArchived':
      return { ...known(state, event), status: 'archived' };
    default:
      return event satisfies never;
  }
}

/** The one picture that stands for the product. */
export function primaryImage({ images }: KnownProduct): ProductImage | undefined {
  return images.find(({ role }) => role === 'primary');
}

function known(state: Product, { type }: ProductEvent): KnownProduct {
  if (state.status === 'unregistered' || state.status === 'reference')
    throw new Error(`${type} on a product that was never registered`);
  return state;
}

function factsOf(data: EventOfType<'ProductRevised'>['data']): ProductFacts {
  const { title, externalRef, description, garmentCategoryId, images } = data;
  return { title, externalRef, description, garmentCategoryId, images };
}
