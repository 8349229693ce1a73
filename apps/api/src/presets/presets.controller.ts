import { Controller, Get } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOperation, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Caller } from '#application/caller.js';
import { ListPresets } from '#application/preset/list-presets.handler.js';
import { ObjectStorage } from '#storage/object-storage.js';
import { RequireCapability } from '../auth/api-key.guard.js';
import { CurrentCaller } from '../auth/caller.js';
import { DescribeErrors, describedHeaders } from '../docs/describe.js';
import { ValidQuery } from '../validation/valid-request.js';
import { ListPresetsQuery, PresetTileResponse } from './presets.dto.js';

@ApiTags('catalog')
@Controller('/v1/presets')
@RequireCapability('jobs:read')
export class PresetsController {
  constructor(
    private readonly queries: QueryBus,
    private readonly storage: ObjectStorage,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'listPresets',
    summary: 'Models, backgrounds or shots that catalog shots can choose from',
  })
  @ApiQuery({ type: ListPresetsQuery })
  @ApiResponse({
    status: 200,
    description: 'Those that are published.',
    type: PresetTileResponse,
    isArray: true,
    headers: describedHeaders(),
  })
  @DescribeErrors(401, 403, 422)
  async list(
    @CurrentCaller() { environment }: Caller,
    @ValidQuery(ListPresetsQuery) { kind }: ListPresetsQuery,
  ): Promise<PresetTileResponse[]> {
    const tiles = await this.queries.execute(new ListPresets(environment, kind));
    return Promise.all(
      tiles.map(async ({ presetId, label, storageKey }) => ({
        id: presetId,
        image_url: await this.storage.presignGet(storageKey),
        label,
      })),
    );
  }
}
