import type { FastifyRequest, FastifyReply } from 'fastify';
import { invalid, notFound } from '../http/api-error.js';
import { JobEventResponse, JobEventsQuery, JobEventsResponse } from './jobs.dto.js';
import { Readable } from 'node:stream';
import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiQuery, ApiResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Caller } from '#application/command-context.js';
import { JobQueries, type JobProgress, type JobTimeline } from '#application/job/job-queries.js';
import { OpenToClientTokens, RequireCapability } from '../auth/api-key.guard.js';
import { CurrentCaller } from '../auth/caller.js';
import { DescribeErrors, describedHeaders, DescribePublicId, DescribeRead } from '../http/describe.js';
import { ConsistencyToken } from '../http/consistency-token.js';
import { prefersOverJson } from '../http/preferred-type.js';
import { PublicId, ValidQuery } from '../http/valid-request.js';
import { Followers, type Follower } from './followers.js';
import { JobPresenter } from './job-presenter.js';

/**
 * How often a stream without events sends a sign of life. Proxies cut connections that are silent for 30 s or
 * longer.
 */
export const heartbeatMs = 15_000;

/**
 * Sent first, so that the headers go out at once. The value is the pause before a client reconnects, in
 * milliseconds.
 */
export const preface = 'retry: 2000\n\n';

export const heartbeat = ': still there\n\n';

/**
 * One event of a job in the format of server-sent events. JSON has no line breaks, so one `data` line is
 * enough.
 */
export function sentEvent(event: JobEventResponse): string {
  return `id: ${event.seq}\nevent: ${event.event_type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/**
 * The last event that a client got before its connection was cut. The client repeats its first URL, so this
 * takes precedence over `since`.
 */
export function lastEventId({ headers }: FastifyRequest): number | undefined {
  const id = headers['last-event-id'];
  if (id === undefined || id === '') return undefined;
  if (typeof id === 'string' && /^\d{1,10}$/.test(id)) return Number(id);
  const msg = 'is not an id of this stream: send it exactly as you received it, or leave it out';
  throw invalid([{ loc: ['header', 'Last-Event-ID'], msg, type: 'value' }]);
}

const streamExample = `${preface}${sentEvent({
  seq: 1,
  event_type: 'queued',
  visibility: 'public',
  stage: 'queued',
  message: 'Job accepted.',
  artifacts: [],
  extra: { credits_cost: 5 },
  created_at: '2026-01-31T12:00:00.000Z',
})}${heartbeat}`;

const asStream = {
  'text/event-stream': {
    schema: { type: 'string' as const },
    example: streamExample,
    // OpenAPI 3.1 has no word for what an event holds.
    'x-event-data': { $ref: getSchemaPath(JobEventResponse) },
  },
};

const unbuffered = {
  'X-Accel-Buffering': {
    description: 'For a stream: proxies must pass on each event at once.',
    schema: { type: 'string' as const, enum: ['no'] },
  },
};

@ApiTags('jobs')
@Controller('/v1/jobs')
@RequireCapability('jobs:read')
export class JobEventsController {
  constructor(
    private readonly jobs: JobQueries,
    private readonly presenter: JobPresenter,
    private readonly followers: Followers,
  ) {}

  @Get(':public_id/events')
  @OpenToClientTokens('job')
  @ApiOperation({
    summary: "A job's timeline: poll it until `succeeded` or `failed`",
    description:
      'With `wait`, the answer is held back until there is a new event. With `Accept: text/event-stream`, the events ' +
      'come as they happen, as Server-Sent Events: `id` is the `seq`, `event` is the `event_type`, and `data` is the ' +
      'same object as in JSON. The stream ends after `succeeded` or `failed`; if it is cut off earlier, ' +
      '`Last-Event-ID` resumes it. A comment every 15 seconds keeps the connection alive.',
  })
  @DescribePublicId('job')
  @ApiQuery({ type: JobEventsQuery })
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description: 'For a stream: the `id` of the last event that arrived. It overrides `since`.',
    schema: { type: 'string', pattern: '^\\d{1,10}$' },
  })
  @DescribeRead(JobEventsResponse, asStream, unbuffered)
  @ApiResponse({
    status: 204,
    description: 'For a stream: the job has ended and there is nothing more to send. Do not reconnect.',
    headers: describedHeaders(),
  })
  @DescribeErrors(401, 403, 404, 422)
  async getJobEvents(
    @CurrentCaller() caller: Caller,
    @PublicId('job') jobId: string,
    @ValidQuery(JobEventsQuery) { since, wait }: JobEventsQuery,
    @ConsistencyToken() token: bigint | undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<JobEventsResponse | Readable | undefined> {
    // The URL has two representations, and a cache must distinguish them.
    void reply.header('vary', 'accept');
    if (prefersOverJson('text/event-stream', request.headers.accept)) {
      const from = lastEventId(request) ?? since;
      return this.stream(caller, jobId, from, this.followers.admit(caller, request, reply), reply);
    }
    const found =
      wait > 0
        ? await this.longPoll(
            caller,
            jobId,
            since,
            wait * 1_000,
            this.followers.admit(caller, request, reply),
          )
        : await this.jobs.events(caller, jobId, since, token);
    if (!found) throw notFound('job');
    const events = await Promise.all(found.events.map((event) => this.presenter.event(event)));
    return { public_id: jobId, events, latest_seq: found.latestSeq };
  }

  private async longPoll(
    caller: Caller,
    jobId: string,
    since: number,
    waitMs: number,
    follower: Follower,
  ): Promise<JobTimeline | undefined> {
    try {
      const signal = AbortSignal.any([follower.signal, AbortSignal.timeout(waitMs)]);
      const progress = await this.jobs.follow(caller, jobId, { since, idleMs: waitMs, signal });
      if (!progress) return undefined;
      let seen: JobProgress | undefined;
      for await (seen of progress) if (seen.events.length > 0 || seen.ended) break;
      return seen;
    } finally {
      follower.leave();
    }
  }

  private async stream(
    caller: Caller,
    jobId: string,
    since: number,
    follower: Follower,
    reply: FastifyReply,
  ): Promise<Readable | undefined> {
    try {
      const options = { since, idleMs: heartbeatMs, signal: follower.signal };
      const progress = await this.jobs.follow(caller, jobId, options);
      const first = await progress?.next();
      if (!progress || !first || first.done) throw notFound('job');
      if (first.value.ended && first.value.events.length === 0) {
        follower.leave();
        void reply.code(204);
        return undefined;
      }
      void reply.headers({
        'content-type': 'text/event-stream; charset=utf-8',
        'x-accel-buffering': 'no',
        // The client sends no further request on this connection. So a server that stops need not wait for one.
        connection: 'close',
      });
      return Readable.from(this.sent(first.value, progress, follower));
    } catch (error) {
      follower.leave();
      throw error;
    }
  }

  private async *sent(
    first: JobProgress,
    later: AsyncIterator<JobProgress>,
    follower: Follower,
  ): AsyncGenerator<string> {
    try {
      yield preface;
      for (let step: IteratorResult<JobProgress> = { value: first }; !step.done; step = await later.next()) {
        if (step.value.events.length === 0) yield heartbeat;
        for (const event of step.value.events) yield sentEvent(await this.presenter.event(event));
      }
    } finally {
      follower.leave();
    }
  }
}
