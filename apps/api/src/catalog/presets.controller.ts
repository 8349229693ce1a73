import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Caller } from '#application/command-context.js';
import { CatalogQueries } from '#application/catalog/catalog-queries.js';
import { type PresetKind, presetKinds } from '#domain/preset/preset.events.js';
import { pictureUrl } from '../uploads/thumbnail-urls.js';
import { ServedPictures } from '../uploads/served-pictures.js';
import { ChoiceField } from '#validation/fields.js';
import { RequireCapability } from '../auth/api-key.guard.js';
import { CurrentCaller } from '../auth/caller.js';
import { DescribeErrors, DescribeFixed, idLike } from '../http/describe.js';
import { ValidQuery } from '../http/valid-request.js';

export class ListPresetsQuery {
  @ChoiceField({
    description: 'Which family of presets.',
    values: presetKinds,
    name: 'PresetKind',
    required: true,
    example: 'model',
  })
  kind: PresetKind;
}

export class PresetTileResponse {
  @ApiProperty({
    description: 'The id that a catalog shot refers to.',
    ...idLike('01KDVDNA0033KV7VSJM53RAASK'),
  })
  id: string;

  @ApiProperty({
    description: 'Short-lived presigned URL of the preview.',
    ...pictureUrl('presets/01KDVDNA0033KV7VSJM53RAASK/0123456789abcdef.jpg'),
  })
  image_url: string;

  @ApiProperty({ example: 'Freya' })
  label: string;
}

@ApiTags('catalog')
@Controller('/v1/presets')
@RequireCapability('jobs:read')
export class PresetsController {
  constructor(
    private readonly catalog: CatalogQueries,
    private readonly pictures: ServedPictures,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Models, backgrounds or shots that catalog shots can choose from' })
  @ApiQuery({ type: ListPresetsQuery })
  @DescribeFixed([PresetTileResponse], { description: 'Those that are published.' })
  @DescribeErrors(401, 403, 422)
  async listPresets(
    @CurrentCaller() { environment }: Caller,
    @ValidQuery(ListPresetsQuery) { kind }: ListPresetsQuery,
  ): Promise<PresetTileResponse[]> {
    const tiles = await this.catalog.presets(environment, kind);
    return Promise.all(
      tiles.map(async ({ presetId, label, storageKey }) => ({
        id: presetId,
        image_url: await this.pictures.urlOf(storageKey),
        label,
      })),
    );
  }
}
