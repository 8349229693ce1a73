import { Module } from '@nestjs/common';
import { ConsistencyModule } from '../consistency/consistency.module.js';
import { PictureModule } from '../picture/picture.module.js';
import { RegisterProductHandler, ReviseProductHandler } from './manage-products.handler.js';
import { ProductQueries } from './product-queries.js';

@Module({
  imports: [PictureModule, ConsistencyModule],
  providers: [RegisterProductHandler, ReviseProductHandler, ProductQueries],
  exports: [ProductQueries],
})
export class ProductModule {}
