import type { AssetEvent } from '#domain/asset/asset.events.js';
import { erasePicture, type Asset } from '#domain/asset/asset.js';
import { eraseJob, type EraseRejection } from '#domain/job/erase-job.js';
import type { JobEvent } from '#domain/job/job.events.js';
import type { Job } from '#domain/job/job.js';
import type { ProductEvent } from '#domain/product/product.events.js';
import { eraseProduct, type Product } from '#domain/product/product.js';
import { streamName } from '#domain/streams.js';
import { jobAggregate } from '../job/job-writes.handler.js';
import { assetAggregate } from '../picture/stored-pictures.js';
import { productAggregate } from '../product/manage-products.handler.js';
import { StreamCommand } from '../stream-command.handler.js';

export { StopJob } from '../job/job-writes.handler.js';

// Each may be repeated. They only write the event: readers refuse the thing from then on, and its bytes and words are
// removed afterwards.

/** Erases a picture of the context's tenant. Another tenant's picture counts as not found. */
export class ErasePicture extends StreamCommand<
  { readonly erasureId: string },
  Asset,
  AssetEvent,
  { readonly code: 'PICTURE_NOT_FOUND' }
> {
  readonly aggregate = assetAggregate;

  get stream(): string {
    return streamName(this.context.environment, 'asset', this.id);
  }

  decide(asset: Asset, at: string) {
    const { tenant } = this.context;
    return erasePicture({ assetId: this.id, tenant, ...this.data, at }, asset);
  }
}

export interface ErasedParts {
  readonly erasureId: string;
  /** The pictures that it shows and that were erased. */
  readonly assetIds: readonly string[];
  /** Whether its words are erased as well. */
  readonly words: boolean;
  /** The pictures that stay, and whose descriptions are among the words. */
  readonly describedAssetIds?: readonly string[] | undefined;
}

/** Erases pictures and words of a job of the context's tenant that has ended. */
export class EraseJob extends StreamCommand<ErasedParts, Job, JobEvent, EraseRejection> {
  readonly aggregate = jobAggregate;

  get stream(): string {
    return streamName(this.context.environment, 'job', this.id);
  }

  decide(job: Job, at: string) {
    const { erasureId, assetIds, words, describedAssetIds } = this.data;
    const { tenant } = this.context;
    const described = describedAssetIds && { describedAssetIds: [...describedAssetIds] };
    const parts = { erasureId, assetIds: [...assetIds], words, ...described };
    return eraseJob({ jobId: this.id, tenant, ...parts, at }, job);
  }
}

/** Erases pictures and words of a product of the context's tenant. */
export class EraseProduct extends StreamCommand<
  ErasedParts,
  Product,
  ProductEvent,
  { readonly code: 'PRODUCT_NOT_FOUND' }
> {
  readonly aggregate = productAggregate;

  get stream(): string {
    return streamName(this.context.environment, 'product', this.id);
  }

  decide(product: Product, at: string) {
    const { erasureId, assetIds, words } = this.data;
    const { tenant } = this.context;
    return eraseProduct(
      { productId: this.id, tenant, erasureId, assetIds: [...assetIds], words, at },
      product,
    );
  }
}
