import { categoryById } from '#domain/garment/garment-categories.js';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { StoredAsset } from '#domain/asset/asset.js';
import { resourceOf } from '#domain/catalog/catalog.js';
import { aboutPersons } from '#domain/data-subject.js';
import {
  evolveProduct,
  initialProduct,
  type KnownProduct,
  assignExternalRef,
  registerProduct,
  reviseProduct,
  type ProductPicture,
  type ProductRevision,
} from '#domain/product/product.js';
import { streamName } from '#domain/streams.js';
import { EventStore } from '#event-store/event-store.js';
import { newId, timelessId } from '#platform/ids.js';
import { handle } from '../aggregate.js';
import { callerContext, type Caller } from '../command-context.js';
import { StoredPictures } from '../picture/stored-pictures.js';

export interface ProductRequest {
  readonly uploadAssetId: string;
  readonly title: string;
  readonly externalRef: string | null;
  readonly description: string | null;
  readonly garmentCategoryId: string | null;
  /** The tenant's own name for the person whom it is about. */
  readonly dataSubject?: string | undefined;
}

/** Makes a product from an uploaded picture, or revises the product that has this external reference. */
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
      /** False: it existed before. */
      readonly isNew: boolean;
      readonly position: bigint | undefined;
    }
  | { readonly kind: 'unknown-reference'; readonly what: 'upload' | 'garment category' }
  | ErasedThing;

interface ErasedThing {
  readonly kind: 'erased';
  readonly what: 'picture' | 'product';
  /** ISO 8601. */
  readonly erasedAt: string;
}

export const productAggregate = { initial: initialProduct, evolve: evolveProduct };

/**
 * An external reference has a stream of its own, and its first event assigns it to a product (ADR 0011). Two
 * parallel posts of the same reference meet there; the expected revision lets only one of them choose the
 * product's id.
 */
@CommandHandler(RegisterProduct)
export class RegisterProductHandler implements ICommandHandler<RegisterProduct> {
  constructor(
    private readonly store: EventStore,
    private readonly pictures: StoredPictures,
  ) {}

  async execute({ caller, product, requestId, at }: RegisterProduct): Promise<RegisteredProduct> {
    const { environment, tenant } = caller;
    const { uploadAssetId, title, externalRef, description, garmentCategoryId, dataSubject } = product;
    const asset = await this.pictures.asset(caller, uploadAssetId);
    if (!asset) return { kind: 'unknown-reference', what: 'upload' };
    if (asset.erasedAt !== undefined) return { kind: 'erased', what: 'picture', erasedAt: asset.erasedAt };
    if (garmentCategoryId !== null && !categoryById(garmentCategoryId)) {
      return { kind: 'unknown-reference', what: 'garment category' };
    }
    const productId =
      externalRef === null ? newId() : await this.productOf(externalRef, caller, requestId, at);
    const { primary: picture, source } = await attachedPictures(this.pictures, caller, asset);
    const command = {
      productId,
      tenant,
      title,
      externalRef,
      description,
      garmentCategoryId,
      picture,
      source,
      ...(dataSubject !== undefined && { dataSubjects: [dataSubject] }),
      at: at.toISOString(),
    };
    let isNew = false;
    const registered = await handle(
      this.store,
      streamName(environment, 'product', productId),
      productAggregate,
      (state) => {
        isNew = state.status === 'unregistered';
        return registerProduct(command, state);
      },
      callerContext(caller, `product:${requestId}`, requestId, at),
    );
    if (registered.kind === 'rejected' || registered.state.status !== 'active')
      throw new Error(`product ${productId} was not registered`);
    const { state, position } = registered;
    return { kind: 'registered', product: state, isNew, position };
  }

  /** The product that has the reference; a new id for the first post. */
  private async productOf(externalRef: string, caller: Caller, requestId: string, at: Date): Promise<string> {
    const { environment, tenant } = caller;
    const refId = timelessId(`product/${environment}/${tenant}/${externalRef}`);
    const productId = newId();
    const { state } = await handle(
      this.store,
      streamName(environment, 'product', refId),
      productAggregate,
      (known) => assignExternalRef({ externalRef, productId, tenant, at: at.toISOString() }, known),
      callerContext(caller, `external-ref:${requestId}`, requestId, at),
    );
    // An earlier release registered the product on this very stream.
    return state.status === 'reference' ? state.productId : refId;
  }
}

/** The picture to attach, and the page photograph from which it was extracted; null if it has another source. */
async function attachedPictures(
  pictures: StoredPictures,
  caller: Caller,
  asset: StoredAsset,
): Promise<NonNullable<ProductRevision['picture']>> {
  const { assetId, jobId } = asset;
  const job = jobId === null ? undefined : await pictures.job(caller, jobId);
  const primary = pictureOf({ ...asset, ...aboutPersons(asset.dataSubjects, job?.dataSubjects) });
  if (job?.workflow !== 'pdp-extractions') return { primary, source: null };
  const garment = job.artifacts.find((artifact) => artifact.assetId === assetId);
  if (!garment || resourceOf(garment.kind) !== 'garments') return { primary, source: null };
  const photograph = job.inputs.find(({ name }) => name === 'pdp_image');
  return { primary, source: photograph ? pictureOf(photograph) : null };
}

/** Changes one of the caller's products, archives it, or restores it. */
export class ReviseProduct extends Command<RevisedProduct> {
  constructor(
    readonly caller: Caller,
    readonly productId: string,
    readonly changes: Omit<ProductRevision, 'picture' | 'at'> & {
      readonly uploadAssetId?: string | undefined;
    },
    readonly requestId: string,
    readonly at: Date,
  ) {
    super();
  }
}

export type RevisedProduct =
  | Omit<Extract<RegisteredProduct, { kind: 'registered' }>, 'isNew'>
  | { readonly kind: 'unknown-reference'; readonly what: 'product' | 'upload' | 'garment category' }
  | ErasedThing;

@CommandHandler(ReviseProduct)
export class ReviseProductHandler implements ICommandHandler<ReviseProduct> {
  constructor(
    private readonly store: EventStore,
    private readonly pictures: StoredPictures,
  ) {}

  async execute({ caller, productId, changes, requestId, at }: ReviseProduct): Promise<RevisedProduct> {
    const { uploadAssetId, ...revision } = changes;
    const { garmentCategoryId } = revision;
    const asset = uploadAssetId === undefined ? undefined : await this.pictures.asset(caller, uploadAssetId);
    if (uploadAssetId !== undefined && !asset) return { kind: 'unknown-reference', what: 'upload' };
    if (asset?.erasedAt !== undefined) return { kind: 'erased', what: 'picture', erasedAt: asset.erasedAt };
    if (garmentCategoryId && !categoryById(garmentCategoryId)) {
      return { kind: 'unknown-reference', what: 'garment category' };
    }
    const picture = asset && (await attachedPictures(this.pictures, caller, asset));
    const { environment, tenant } = caller;
    const command = { ...revision, ...(picture && { picture }), at: at.toISOString() };
    const revised = await handle(
      this.store,
      streamName(environment, 'product', productId),
      productAggregate,
      // Another tenant's product counts as unknown.
      (state) =>
        reviseProduct(command, 'tenant' in state && state.tenant === tenant ? state : initialProduct),
      // This name distinguishes it in the usage log from a post of the product's reference.
      callerContext(caller, `revise-product:${requestId}`, requestId, at),
    );
    if (revised.kind === 'rejected' && 'tenant' in revised.state && revised.state.tenant === tenant) {
      const { erasedAt } = revised.state;
      if (erasedAt !== undefined) return { kind: 'erased', what: 'product', erasedAt };
    }
    if (revised.kind === 'rejected' || !('productId' in revised.state) || !('tenant' in revised.state)) {
      return { kind: 'unknown-reference', what: 'product' };
    }
    return { kind: 'registered', product: revised.state, position: revised.position };
  }
}

function pictureOf({ assetId, storageKey, sha256, dataSubjects }: ProductPicture): ProductPicture {
  return { assetId, storageKey, sha256, ...aboutPersons(dataSubjects) };
}
