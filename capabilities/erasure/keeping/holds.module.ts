import { Module } from '@nestjs/common';
import { ErasableThings } from '#application/erasure/erasable-things.js';
import { HoldsInForce } from './holds-in-force.js';

/** Legal holds, and the things that they may cover. */
@Module({ providers: [ErasableThings, HoldsInForce], exports: [ErasableThings, HoldsInForce] })
export class HoldsModule {}
