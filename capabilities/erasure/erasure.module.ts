import { Module } from '@nestjs/common';
import { ErasableThings } from '#application/erasure/erasable-things.js';
import { Extents } from './extent.js';
import { KeptErasures } from './kept-erasures.js';
import { Erasures } from './manage-erasures.handler.js';
import { RefuseThings } from './refuse-things.js';

const shared = [ErasableThings, Erasures, Extents, KeptErasures, RefuseThings];

/** Erasures, as the API and the projector need them. */
@Module({ providers: shared, exports: shared })
export class ErasureModule {}
