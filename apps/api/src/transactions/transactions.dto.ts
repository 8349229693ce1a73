import { ApiProperty } from '@nestjs/swagger';

export class LedgerEntryResponse {
  @ApiProperty({ example: '01K9Z7J0V4M2Q8T6R3N5B1C7DE' })
  id: string;

  @ApiProperty({ enum: ['operation', 'subscription', 'pack'], enumName: 'LedgerKind' })
  kind: string;

  @ApiProperty({ description: 'The endpoint, or what was bought.', example: '/v1/model-generator' })
  label: string;

  @ApiProperty({
    description: 'Negative: spent, net of refunds. Positive: bought.',
    type: 'integer',
    example: -5,
  })
  credits_delta: number;

  @ApiProperty({ enum: ['SUCCESS', 'REFUNDED', 'PENDING', 'FAILED', 'PURCHASED'], enumName: 'LedgerStatus' })
  status: string;

  @ApiProperty({ format: 'date-time', example: '2026-01-31T12:00:00.000Z' })
  created_at: string;
}

export class LedgerResponse {
  @ApiProperty({ type: [LedgerEntryResponse], description: 'Newest first. All deltas sum to the balance.' })
  items: LedgerEntryResponse[];

  @ApiProperty({ description: 'Entries in all.', type: 'integer', minimum: 0, example: 1 })
  total: number;

  @ApiProperty({ type: 'integer', minimum: 1, maximum: 200, example: 50 })
  limit: number;

  @ApiProperty({ type: 'integer', minimum: 0, example: 0 })
  offset: number;
}
