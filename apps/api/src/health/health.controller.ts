import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { problemsInTime, Readiness } from '#platform/role-server.js';
import { Public } from '../auth/api-key.guard.js';
import { DescribeErrors } from '../docs/describe.js';
import { ApiError } from '../errors/api-error.js';

export class HealthResponse {
  @ApiProperty({ enum: ['ok'], example: 'ok' })
  status: 'ok';
}

@ApiTags('health')
@Controller('/health')
@Public()
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Get('live')
  @ApiOperation({ operationId: 'healthLive', summary: 'The process answers', security: [] })
  @ApiOkResponse({ type: HealthResponse, description: 'It does.' })
  live(): HealthResponse {
    return { status: 'ok' };
  }

  @Get('ready')
  @ApiOperation({
    operationId: 'healthReady',
    summary: 'The stores answer, and every read model is being kept up to date',
    description: 'With 503 the message names what is not.',
    security: [],
  })
  @ApiOkResponse({ type: HealthResponse, description: 'They do.' })
  @DescribeErrors(503)
  async isReady(): Promise<HealthResponse> {
    const problems = await problemsInTime(() => this.readiness.problems());
    if (problems.length === 0) return { status: 'ok' };
    throw new ApiError('SERVICE_UNAVAILABLE', `Not ready: ${problems.join('; ')}.`, {
      headers: { 'retry-after': '2' },
      cause: new Error(problems.join('; ')),
    });
  }
}
