import { ApiProperty } from '@nestjs/swagger';
import { presetKinds, type PresetKind } from '#domain/preset/preset.events.js';
import { ChoiceField } from '#validation/fields.js';

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
    description: 'What a catalog shot refers to.',
    minLength: 26,
    maxLength: 26,
    example: '01KDVDNA0033KV7VSJM53RAASK',
  })
  id: string;

  @ApiProperty({
    description: 'Short-lived presigned URL of the preview.',
    format: 'uri',
    example:
      'https://atelier.example/objects/presets/01KDVDNA0033KV7VSJM53RAASK/0123456789abcdef.jpg?expires=1790000000&signature=9f2c',
  })
  image_url: string;

  @ApiProperty({ example: 'Freya' })
  label: string;
}
