import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { OwnMetrics } from '#adapters/platform.module.js';
import type { Metrics } from '#platform/metrics.js';
import { Public } from '../auth/api-key.guard.js';

/**
 * For Prometheus, without a key: a scraper has none, and nothing in here is secret or belongs to one tenant. It is no part of the
 * interface for callers; the proxy in `deploy/` does not pass it on, and METRICS=false leaves it out.
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
