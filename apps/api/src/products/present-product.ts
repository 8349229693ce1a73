import { categoryById } from '@atelier/engine/garment-categories';
import type { KnownProduct } from '#domain/product/product.js';
import type { ObjectStorage } from '#storage/object-storage.js';
import type { ProductResponse } from './products.dto.js';

/** A product in the words of the interface. Fields that were not given are absent. */
export async function presentProduct(
  storage: ObjectStorage,
  product: KnownProduct,
): Promise<ProductResponse> {
  const { productId, title, externalRef, description, status, registeredAt } = product;
  const category = product.garmentCategoryId === null ? undefined : categoryById(product.garmentCategoryId);
  const images = await Promise.all(
    product.images.map(async ({ assetId, role, storageKey }, position) => ({
      asset_public_id: assetId,
      role,
      position,
      image_url: await storage.presignGet(storageKey),
    })),
  );
  const urlOf = (wanted: string) => images.find(({ role }) => role === wanted)?.image_url;
  const primary = urlOf('primary');
  const source = urlOf('source_pdp');
  return {
    public_id: productId,
    title,
    ...(externalRef !== null && { external_ref: externalRef }),
    ...(category && {
      category: {
        public_id: category.publicId,
        key: category.key,
        display_label: category.displayLabel,
      },
    }),
    status,
    ...(description !== null && { description }),
    ...(primary !== undefined && { primary_image_url: primary }),
    ...(source !== undefined && { source_pdp_image_url: source }),
    images,
    created_at: registeredAt,
  };
}
