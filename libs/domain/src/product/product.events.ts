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

/** The events of `{env}.product-{product}`, as they are stored. */
export type ProductEvent =
  | { type: 'ProductRegistered'; data: ProductFacts & { productId: string; tenant: string; at: string } }
  | { type: 'ProductRevised'; data: ProductFacts & { at: string } }
  | { type: 'ProductArchived'; data: { reason: string; at: string } };
