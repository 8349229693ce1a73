import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

export class UsageRowResponse {
  @ApiProperty({ minLength: 26, maxLength: 26, example: '01K9Z7J0V4M2Q8T6R3N5B1C7DE' })
  request_id: string;

  @ApiProperty({ example: '/v1/model-generator' })
  endpoint: string;

  @ApiProperty({ example: 'POST' })
  method: string;

  @ApiProperty({ enum: ['PENDING', 'SUCCESS', 'FAILED', 'REFUNDED'], enumName: 'UsageStatus' })
  status: string;

  @ApiPropertyOptional({ type: 'integer', example: 202 })
  http_status?: number;

  @ApiProperty({ type: 'integer', minimum: 0, example: 5 })
  credits_charged: number;

  @ApiProperty({ type: 'integer', minimum: 0, example: 0 })
  credits_refunded: number;

  @ApiPropertyOptional({ minLength: 26, maxLength: 26, example: '01K9Z7J0V6X8Y2Z4A6B8C0D2EF' })
  job_id?: string;

  @ApiPropertyOptional({ format: 'date-time', example: '2026-01-31T12:00:00.000Z' })
  created_at?: string;

  @ApiPropertyOptional({
    description: 'When the job was queued.',
    format: 'date-time',
    example: '2026-01-31T12:00:00.000Z',
  })
  submitted_at?: string;

  @ApiPropertyOptional({
    description: 'When it was settled or refunded.',
    format: 'date-time',
    example: '2026-01-31T12:00:01.000Z',
  })
  resolved_at?: string;

  @ApiPropertyOptional({
    description: 'From created to resolved.',
    type: 'integer',
    minimum: 0,
    example: 1000,
  })
  latency_ms?: number;

  @ApiPropertyOptional({ example: 'INSUFFICIENT_BALANCE' })
  error_code?: string;

  @ApiPropertyOptional({ example: 'This costs 5 credits and the balance is 3.' })
  error_message?: string;
}

export class UsageListResponse {
  @ApiProperty({ type: [UsageRowResponse] })
  items: UsageRowResponse[];

  @ApiProperty({ description: 'Rows in all.', type: 'integer', minimum: 0, example: 1 })
  total: number;

  @ApiProperty({ type: 'integer', minimum: 1, maximum: 200, example: 50 })
  limit: number;

  @ApiProperty({ type: 'integer', minimum: 0, example: 0 })
  offset: number;
}
