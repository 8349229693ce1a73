import { ApiProperty } from '@nestjs/swagger';
import { jobStatuses } from '../jobs/jobs.dto.js';

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
