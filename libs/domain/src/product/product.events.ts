import type { AboutPersons } from '../data-subject.js';
import type { AnswersFor, EventFamily } from '../event-family.js';
import type { JobInputImage } from '../job/job.events.js';

export type ProductImageRole = 'primary' | 'gallery' | 'source_pdp';

/** A picture of a product, with the asset's facts at the time when it was attached. */
export type ProductImage = Pick<JobInputImage, 'assetId' | 'storageKey' | 'sha256' | 'dataSubjects'> & {
  role: ProductImageRole;
  /** When it was erased, ISO 8601; only in states and rows. */
  erasedAt?: string;
};

/** A caller's facts about a product. Null: not given. Its pictures may be about further persons. */
export interface ProductFacts extends AboutPersons {
  title: string;
  externalRef: string | null;
  description: string | null;
  garmentCategoryId: string | null;
  images: ProductImage[];
}

/**
 * The stored events of `{env}.product-{product}`. ExternalRefAssigned is the only event of a stream that
 * belongs to an external reference; it names the product that has the reference.
 */
export type ProductEvent =
  | {
      type: 'ExternalRefAssigned';
      data: { externalRef: string; productId: string; tenant: string; at: string };
    }
  | { type: 'ProductRegistered'; data: ProductFacts & { productId: string; tenant: string; at: string } }
  | { type: 'ProductRevised'; data: ProductFacts & { at: string } }
  | { type: 'ProductArchived'; data: { reason: string; at: string } }
  /** These pictures of the product were erased, and its words as well if `words`; then it cannot be used again. */
  | {
      type: 'ProductErased';
      data: {
        productId: string;
        tenant: string;
        erasureId: string;
        assetIds: string[];
        words: boolean;
        at: string;
      };
    };

// A product is found by its external reference, and by its category.
const personalOfFacts: AnswersFor<ProductFacts> = {
  title: true,
  externalRef: false,
  description: true,
  garmentCategoryId: false,
  images: { assetId: false, storageKey: false, sha256: true, dataSubjects: true, erasedAt: false },
  dataSubjects: true,
};

export const productFamily: EventFamily<'product', ProductEvent> = {
  category: 'product',
  owner: 'tenant',
  ownKeys: true,
  idFields: { ProductRegistered: 'productId', ProductErased: 'productId' },
  upcasters: {
    ExternalRefAssigned: [],
    ProductRegistered: [],
    ProductRevised: [],
    ProductArchived: [],
    ProductErased: [],
  },
  personal: {
    ExternalRefAssigned: { externalRef: false, productId: false, tenant: false },
    ProductRegistered: { productId: false, tenant: false, ...personalOfFacts },
    ProductRevised: personalOfFacts,
    ProductArchived: { reason: true },
    ProductErased: { productId: false, tenant: false, erasureId: false, assetIds: false },
  },
};
