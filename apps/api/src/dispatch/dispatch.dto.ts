import { ApiProperty } from '@nestjs/swagger';
import { jobStatuses } from '../jobs/jobs.dto.js';
import { BooleanQuery } from '../validation/valid-request.js';

export class DispatchQuery {
  @BooleanQuery({
    description:
      '`true`: everything is checked, the pictures that the body refers to included, and the answer is 200 with the ' +
      'cost. Nothing is charged, recorded or queued, and an Idempotency-Key is not used up.',
    default: false,
  })
  dry_run: boolean = false;
}

export class WorkflowAcceptedResponse {
  @ApiProperty({
    description: 'Correlates with the row of the usage log.',
    minLength: 26,
    maxLength: 26,
    example: '01K9Z7J0V4M2Q8T6R3N5B1C7DE',
  })
  request_id: string;

  @ApiProperty({
    description: 'The job to poll.',
    minLength: 26,
    maxLength: 26,
    example: '01K9Z7J0V6X8Y2Z4A6B8C0D2EF',
  })
  job_id: string;

  @ApiProperty({ enum: jobStatuses, enumName: 'JobStatus', default: 'NOT_STARTED' })
  status: string;

  @ApiProperty({
    description: 'Credits that were deducted. Refunded by itself if the job fails.',
    type: 'integer',
    minimum: 0,
    example: 5,
  })
  credits_cost: number;
}

/** What a dispatch would come to. */
export class DryRunResponse {
  @ApiProperty({ description: 'Nothing was charged, recorded or queued.', type: Boolean, enum: [true] })
  dry_run: true;

  @ApiProperty({ description: 'The workflow.', example: 'model-generator' })
  operation: string;

  @ApiProperty({
    description: 'What the dispatch would cost. For a batch, that of all its photographs.',
    type: 'integer',
    minimum: 0,
    example: 5,
  })
  credits_cost: number;

  @ApiProperty({ description: 'Credits that there are now.', type: 'integer', minimum: 0, example: 95 })
  balance: number;

  @ApiProperty({ description: 'Whether the balance covers the cost.', example: true })
  sufficient: boolean;

  @ApiProperty({ description: "Whether what is left of today's spend cap covers the cost.", example: true })
  daily_cap_ok: boolean;

  @ApiProperty({ description: 'Whether the dispatch would be accepted now.', example: true })
  would_be_accepted: boolean;
}
