import { Module } from '@nestjs/common';
import { Closings } from './closing/closings.handler.js';
import { KeptClosings } from './closing/kept-closings.js';
import { Extents } from './extent.js';
import { HoldsModule } from './keeping/holds.module.js';
import { KeptErasures } from './kept-erasures.js';
import { Erasures } from './manage-erasures.handler.js';
import { ErasureOrders } from './order-erasure.js';
import { ReachedReads } from './reached-reads.js';
import { RefuseThings } from './refuse-things.js';

const shared = [
  Closings,
  ErasureOrders,
  Erasures,
  Extents,
  KeptClosings,
  KeptErasures,
  ReachedReads,
  RefuseThings,
];

/** Erasures, as the API and the projector need them. */
@Module({ imports: [HoldsModule], providers: shared, exports: [HoldsModule, ...shared] })
export class ErasureModule {}
