import { Module } from '@nestjs/common';
import { ConsistencyModule } from '#application/consistency/consistency.module.js';
import { KeysController } from './keys.controller.js';
import { OwnKeysReader } from './own-keys.reader.js';

/** `/v1/keys` and `/v1/usage/by-key`. */
@Module({ imports: [ConsistencyModule], providers: [OwnKeysReader], controllers: [KeysController] })
export class KeysApiModule {}
