import { categoryById } from '#domain/garment/garment-categories.js';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { StoredAsset } from '#domain/asset/asset.js';
import { resourceOf } from '#domain/catalog/catalog.js';
import {
  evolveProduct,
  initialProduct,
  type KnownProduct,
  assignExternalRef,
  registerProduct,
  type ProductPicture,
} from '#domain/product/product.js';
import { streamName } from '#domain/streams.js';
import { EventStore } from '#event-store/event-store.js';
import { newId, timelessId } from '#platform/ids.js';
import { handle } from '../aggregate.js';
import type { Caller } from '../command-context.js';
import { StoredPictures } from '../picture/stored-pictures.js';
import { Module } from '@nestjs/common';
import { PictureModule } from '../picture/store-picture.handler.js';

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

const aggregate = { initial: initialProduct, evolve: evolveProduct };

/**
 * An external reference has a stream of its own, whose first event gives it to a product (ADR 0011). Two posts of the same
 * reference meet there, and the store's check of revisions lets one of them choose the product's id.
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
    const productId =
      externalRef === null ? newId() : await this.productOf(externalRef, caller, requestId, at);
    const source = await this.sourceOf(caller, asset);
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
    if (registered.kind === 'rejected' || registered.state.status !== 'active')
      throw new Error(`product ${productId} was not registered`);
    const { state, position } = registered;
    return { kind: 'registered', product: state, isNew, position };
  }

  /** The product that has the reference; a fresh id for the first post. */
  private async productOf(externalRef: string, caller: Caller, requestId: string, at: Date): Promise<string> {
    const { environment, tenant, keyId } = caller;
    const refId = timelessId(`product/${environment}/${tenant}/${externalRef}`);
    const productId = newId();
    const { state } = await handle(
      this.store,
      streamName(environment, 'product', refId),
      aggregate,
      (known) => assignExternalRef({ externalRef, productId, tenant, at: at.toISOString() }, known),
      {
        ...{ environment, tenant, requestId, at },
        commandId: `external-ref:${requestId}`,
        actor: `key:${keyId}`,
      },
    );
    // An earlier release registered the product on this very stream.
    return state.status === 'reference' ? state.productId : refId;
  }

  /** The page photograph that a garment was extracted from; null for a picture that came from elsewhere. */
  private async sourceOf(caller: Caller, { assetId, jobId }: StoredAsset): Promise<ProductPicture | null> {
    const job = jobId === null ? undefined : await this.pictures.job(caller, jobId);
    if (job?.workflow !== 'pdp-extractions') return null;
    const garment = job.artifacts.find((artifact) => artifact.assetId === assetId);
    if (!garment || resourceOf(garment.kind) !== 'garments') return null;
    const photograph = job.inputs.find(({ name }) => name === 'pdp_image');
    return photograph ? pictureOf(photograph) : null;
  }
}

function pictureOf({ assetId, storageKey, sha256 }: ProductPicture): ProductPicture {
  return { assetId, storageKey, sha256 };
}

/** Products of a tenant's catalogue. */
@Module({ imports: [PictureModule], providers: [RegisterProductHandler] })
export class ProductModule {}
