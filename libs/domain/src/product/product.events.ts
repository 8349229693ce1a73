import type { EventFamily } from '../event-family.js';
import type { JobInputImage } from '../job/job.events.js';

export type ProductImageRole = 'primary' | 'gallery' | 'source_pdp';

/** A picture of a product. What it is, as the asset's own stream said when it was attached. */
export type ProductImage = Pick<JobInputImage, 'assetId' | 'storageKey' | 'sha256'> & {
  role: ProductImageRole;
};

/** What a caller says of a product. Null: not said. */
export interface ProductFacts {
  title: string;
  externalRef: string | null;
  description: string | null;
  garmentCategoryId: string | null;
  images: ProductImage[];
}

/**
 * The events of `{env}.product-{product}`, as they are stored. ExternalRefAssigned is the one event of a stream that is
 * named by an external reference and says which product has it.
 */
export type ProductEvent =
  | {
      type: 'ExternalRefAssigned';
      data: { externalRef: string; productId: string; tenant: string; at: string };
    }
  | { type: 'ProductRegistered'; data: ProductFacts & { productId: string; tenant: string; at: string } }
  | { type: 'ProductRevised'; data: ProductFacts & { at: string } }
  | { type: 'ProductArchived'; data: { reason: string; at: string } };

export const productFamily: EventFamily<'product', ProductEvent> = {
  category: 'product',
  owner: 'tenant',
  idFields: { ProductRegistered: 'productId' },
  upcasters: {
    ExternalRefAssigned: [],
    ProductRegistered: [],
    ProductRevised: [],
    ProductArchived: [],
  },
};
