import { ApiProperty } from '@nestjs/swagger';

export class CreditsResponse {
  @ApiProperty({ example: '01K9Z7G1T9C4W6X2Y8A5S3D7FH' })
  client_id: string;

  @ApiProperty({ description: 'Credits left.', type: 'integer', minimum: 0, example: 95 })
  balance: number;

  @ApiProperty({ example: 'standard' })
  plan: string;

  @ApiProperty({
    description: 'Credits spent in the current window of 24 hours.',
    type: 'integer',
    example: 5,
  })
  daily_spend_today: number;

  @ApiProperty({ description: '0: unlimited.', type: 'integer', minimum: 0, example: 0 })
  daily_spend_cap_credits: number;

  @ApiProperty({ description: 'Soft quota. 0: pay as you go.', type: 'integer', minimum: 0, example: 0 })
  monthly_credit_quota: number;

  @ApiProperty({ description: 'Requests a minute of one key.', type: 'integer', minimum: 0, example: 600 })
  rate_limit_per_min: number;

  @ApiProperty({ example: true })
  is_active: boolean;
}
