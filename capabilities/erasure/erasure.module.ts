import { Module } from '@nestjs/common';
import { Extents } from './extent.js';
import { HoldsModule } from './keeping/holds.module.js';
import { KeptErasures } from './kept-erasures.js';
import { Erasures } from './manage-erasures.handler.js';
import { ErasureOrders } from './order-erasure.js';
import { ReachedReads } from './reached-reads.js';
import { RefuseThings } from './refuse-things.js';

const shared = [ErasureOrders, Erasures, Extents, KeptErasures, ReachedReads, RefuseThings];

/** Erasures, as the API and the projector need them. */
@Module({ imports: [HoldsModule], providers: shared, exports: [HoldsModule, ...shared] })
export class ErasureModule {}
