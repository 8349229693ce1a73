import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { READINESS, type Readiness } from '../api-dependencies.js';
import { Public } from '../auth/api-key.guard.js';
import { DescribeErrors } from '../docs/describe.js';
import { ApiError } from '../errors/api-error.js';

export class HealthResponse {
  @ApiProperty({ enum: ['ok'], example: 'ok' })
  status: 'ok';
}

/** How long a readiness probe may take before it counts as a no. */
const patienceMs = 2_000;

@ApiTags('health')
@Controller('/health')
@Public()
export class HealthController {
  constructor(@Inject(READINESS) private readonly ready: Readiness) {}

  @Get('live')
  @ApiOperation({ operationId: 'healthLive', summary: 'The process answers', security: [] })
  @ApiOkResponse({ type: HealthResponse, description: 'It does.' })
  live(): HealthResponse {
    return { status: 'ok' };
  }

  @Get('ready')
  @ApiOperation({
    operationId: 'healthReady',
    summary: 'The process and what it depends on answer',
    security: [],
  })
  @ApiOkResponse({ type: HealthResponse, description: 'They do.' })
  @DescribeErrors(503)
  async isReady(): Promise<HealthResponse> {
    const { promise: tooLate, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error(`no answer within ${patienceMs} ms`)), patienceMs);
    try {
      await Promise.race([this.ready(), tooLate]);
    } catch (cause) {
      const message = 'A database that this process depends on does not answer.';
      throw new ApiError('SERVICE_UNAVAILABLE', message, { headers: { 'retry-after': '2' }, cause });
    } finally {
      clearTimeout(timer);
    }
    return { status: 'ok' };
  }
}
