import { Module } from '@nestjs/common';
import { PictureModule } from '../picture/picture.module.js';
import { RegisterProductHandler } from './register-product.handler.js';

/** Products of a tenant's catalogue. */
@Module({ imports: [PictureModule], providers: [RegisterProductHandler] })
export class ProductModule {}
