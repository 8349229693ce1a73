import { Injectable } from '@nestjs/common';
import type { KnownProduct } from '#domain/product/product.js';
import { streamName } from '#domain/streams.js';
import { EventStore } from '#event-store/event-store.js';
import { load } from '../aggregate.js';
import type { Caller } from '../command-context.js';
import { ReadYourWrites, type Fresh } from '../consistency/read-your-writes.js';
import { ReadModels, type Page, type ProductsFilter, type ProductView } from '../read-models.js';
import { productAggregate } from './manage-products.handler.js';

@Injectable()
export class ProductQueries {
  constructor(
    private readonly store: EventStore,
    private readonly reads: ReadModels,
    private readonly consistency: ReadYourWrites,
  ) {}

  list(caller: Caller, filter: ProductsFilter, token?: bigint): Promise<Fresh<Page<ProductView>>> {
    return this.consistency.read(caller, 'products', token, () =>
      this.reads.of(caller.environment).products.list(caller.tenant, filter),
    );
  }

  /**
   * Reads the product's own stream, so it never lags. Undefined if the product is unknown or another tenant's.
   */
  async get({ environment, tenant }: Caller, productId: string): Promise<KnownProduct | undefined> {
    const stream = streamName(environment, 'product', productId);
    const { state } = await load(this.store, stream, productAggregate);
    return 'tenant' in state && state.tenant === tenant ? state : undefined;
  }
}
