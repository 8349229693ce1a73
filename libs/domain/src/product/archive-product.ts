import { accept, reject, type Decision } from '../decision.js';
import type { EventOfType } from '../events.js';
import type { ProductEvent } from './product.events.js';
import type { Product } from './product.js';

export interface ProductNotFound {
  readonly code: 'PRODUCT_NOT_FOUND';
}

/** Takes a product out of use: nothing can refer to it until it is registered again. Archiving again changes nothing. */
export function archiveProduct(
  command: EventOfType<'ProductArchived'>['data'],
  product: Product,
): Decision<ProductEvent, ProductNotFound> {
  switch (product.status) {
    case 'unregistered':
    case 'reference':
      return reject({ code: 'PRODUCT_NOT_FOUND' });
    case 'archived':
      return accept();
    case 'active':
      return accept({ type: 'ProductArchived', data: { ...command } });
    default:
      return product satisfies never;
  }
}
