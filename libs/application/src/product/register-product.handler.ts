import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { StoredAsset } from '#domain/asset/asset.js';
import { resourceOf } from '#domain/catalog/catalog.js';
import { categoryById } from '@atelier/engine/garment-categories';
import { evolve, initialProduct, type KnownProduct } from '#domain/product/product.js';
import { registerProduct, type ProductPicture } from '#domain/product/register-product.js';
import { streamName } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import { derivedId, newId } from '#platform/ids.js';
import { handle } from '../aggregate.js';
import type { Caller } from '../caller.js';
import type { StoredPictures } from '../picture/stored-pictures.js';

export interface ProductRequest {
  readonly uploadAssetId: string;
  readonly title: string;
  readonly externalRef: string | null;
  readonly description: string | null;
  readonly garmentCategoryId: string | null;
}

/** Makes a product of an uploaded picture, or revises the one that has this external reference. */
export class RegisterProduct extends Command<RegisteredProduct> {
  constructor(
    readonly caller: Caller,
    readonly product: ProductRequest,
    readonly requestId: string,
    readonly at: Date,
  ) {
    super();
  }
}

export type RegisteredProduct =
  | {
      readonly kind: 'registered';
      readonly product: KnownProduct;
      /** False: it was there before. */
      readonly isNew: boolean;
      readonly position: bigint | undefined;
    }
  | { readonly kind: 'unknown-reference'; readonly what: 'upload' | 'garment category' };

const aggregate = { initial: initialProduct, evolve };

/**
 * The id of a product with an external reference is derived from it. So one stream is where two posts of the same
 * reference meet, and the store's own check of revisions keeps there being one product.
 */
@CommandHandler(RegisterProduct)
export class RegisterProductHandler implements ICommandHandler<RegisterProduct> {
  constructor(
    private readonly store: EventStore,
    private readonly pictures: StoredPictures,
  ) {}

  async execute({ caller, product, requestId, at }: RegisterProduct): Promise<RegisteredProduct> {
    const { environment, tenant, keyId } = caller;
    const { uploadAssetId, title, externalRef, description, garmentCategoryId } = product;
    const asset = await this.pictures.asset(caller, uploadAssetId);
    if (!asset) return { kind: 'unknown-reference', what: 'upload' };
    if (garmentCategoryId !== null && !categoryById(garmentCategoryId)) {
      return { kind: 'unknown-reference', what: 'garment category' };
    }
    const productId = externalRef === null ? newId() : productIdOf(caller, externalRef);
    const source = await this.#sourceOf(caller, asset);
    const command = {
      ...{ productId, tenant, title, externalRef, description, garmentCategoryId },
      ...{ picture: pictureOf(asset), source, at: at.toISOString() },
    };
    let isNew = false;
    const registered = await handle(
      this.store,
      streamName(environment, 'product', productId),
      aggregate,
      (state) => {
        isNew = state.status === 'unregistered';
        return registerProduct(command, state);
      },
      {
        ...{ environment, tenant, requestId, at },
        commandId: `product:${requestId}`,
        actor: `key:${keyId}`,
      },
    );
    if (registered.kind === 'rejected' || registered.state.status === 'unregistered') {
      throw new Error(`product ${productId} was not registered`);
    }
    const { state, position } = registered;
    return { kind: 'registered', product: state, isNew, position };
  }

  /** The page photograph that a garment was extracted from; null for a picture that came from elsewhere. */
  async #sourceOf(caller: Caller, { assetId, jobId }: StoredAsset): Promise<ProductPicture | null> {
    const job = jobId === null ? undefined : await this.pictures.job(caller, jobId);
    if (job?.operation !== 'pdp-extractions') return null;
    const garment = job.artifacts.find((artifact) => artifact.assetId === assetId);
    if (!garment || resourceOf(garment.kind) !== 'garments') return null;
    const photograph = job.inputs.find(({ name }) => name === 'pdp_image');
    return photograph ? pictureOf(photograph) : null;
  }
}

function productIdOf({ environment, tenant }: Caller, externalRef: string): string {
  return derivedId(`product/${environment}/${tenant}/${externalRef}`);
}

function pictureOf({ assetId, storageKey, sha256 }: ProductPicture): ProductPicture {
  return { assetId, storageKey, sha256 };
}
