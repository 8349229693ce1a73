import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags, ApiExcludeController } from '@nestjs/swagger';
import { problemsInTime, Readiness } from '#platform/role-server.js';
import { Public } from '../auth/api-key.guard.js';
import { DescribeErrors } from './describe.js';
import { ApiError } from './api-error.js';
import { DiskRoom } from './disk-room.js';
import type { FastifyReply } from 'fastify';
import { OwnMetrics } from '#adapters/platform.module.js';
import type { Metrics } from '#platform/metrics.js';

export class HealthResponse {
  @ApiProperty({ enum: ['ok'], example: 'ok' })
  status: 'ok';
}

@ApiTags('health')
@Controller('/health')
@Public()
export class HealthController {
  constructor(
    private readonly readiness: Readiness,
    private readonly room: DiskRoom,
  ) {}

  async problems(): Promise<readonly string[]> {
    return (await Promise.all([this.readiness.problems(), this.room.problems()])).flat();
  }

  @Get('live')
  @ApiOperation({ summary: 'The process answers', security: [] })
  @ApiOkResponse({ type: HealthResponse, description: 'It does.' })
  healthLive(): HealthResponse {
    return { status: 'ok' };
  }

  @Get('ready')
  @ApiOperation({
    summary: 'The stores answer, and every read model is being kept up to date',
    description: 'With 503, the message names the part that is not ready.',
    security: [],
  })
  @ApiOkResponse({ type: HealthResponse, description: 'They do.' })
  @DescribeErrors()
  async healthReady(): Promise<HealthResponse> {
    const problems = await problemsInTime(() => this.problems());
    if (problems.length === 0) return { status: 'ok' };
    throw new ApiError('SERVICE_UNAVAILABLE', `Not ready: ${problems.join('; ')}.`, {
      headers: { 'retry-after': '2' },
      cause: new Error(problems.join('; ')),
    });
  }
}

/**
 * For Prometheus, without a key: a scraper has none, and no value is secret or belongs to one tenant. The route
 * exists only with METRICS=true, because callers could learn from it how busy the service is. It is not part of
 * the callers' interface.
 */
@ApiExcludeController()
@Controller('/metrics')
@Public()
export class MetricsController {
  constructor(@Inject(OwnMetrics) private readonly metrics: Metrics) {}

  @Get()
  async scrape(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    void reply.type(this.metrics.contentType);
    return this.metrics.text();
  }
}
