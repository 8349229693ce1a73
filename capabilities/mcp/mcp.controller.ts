import { Controller, HttpCode, Inject, Post, Req, Res, type OnModuleDestroy } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExcludeController } from '@nestjs/swagger';
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '#application/command-context.js';
import { Configuration } from '#platform/configuration.js';
import { Logger } from '#platform/logger.js';
import { CurrentCaller } from '#api/auth/caller.js';
import { ApiError, invalid } from '#api/http/api-error.js';
import { readJsonBody } from '#api/http/request-body.js';
import type { Agent } from './agent.js';
import { makeServer } from './make-server.js';
import { Offers } from './offers.js';
import { OwnApi } from './own-api.js';
import { longestPictureText } from './picture-form.js';

/** A picture in a call, and what is around it. */
const bodyLimit = longestPictureText + 64 * 1024;

export const sessionHeader = 'x-atelier-session';

/**
 * The Model Context Protocol over HTTP. Each request stands alone: it carries the key, and a server is made for
 * it, so any process can answer it. The guard has let the request in before, as any request with a key.
 */
@ApiExcludeController()
@Controller('/mcp')
export class McpController implements OnModuleDestroy {
  /** The agents of the requests that are being answered, by their web requests. */
  private readonly agents = new WeakMap<Request, Agent>();
  private readonly handler: McpHttpHandler;

  constructor(
    private readonly api: OwnApi,
    private readonly offers: Offers,
    @Inject(Configuration) private readonly configuration: Pick<Configuration, 'publicUrl'>,
    @Inject(Logger) private readonly logger: Logger,
  ) {
    this.handler = createMcpHandler(
      ({ requestInfo }) => {
        const agent = requestInfo && this.agents.get(requestInfo);
        if (!agent) throw new Error('an agent has no request');
        return makeServer(agent);
      },
      { onerror: (err) => this.logger.debug({ err }, 'an agent was refused') },
    );
  }

  async onModuleDestroy(): Promise<void> {
    await this.handler.close();
  }

  @Post()
  @HttpCode(200)
  @RouteConfig({ jsonBodyLimit: bodyLimit })
  async post(
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    requireUnsigned(caller);
    const session = sessionOf(request);
    const parsedBody = await readJsonBody(request);
    const { publicUrl } = this.configuration;
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const web = new Request(new URL('/mcp', publicUrl), {
      method: 'POST',
      headers: Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
        typeof value === 'string' && name !== 'authorization' ? [[name, value]] : [],
      ),
      signal: gone.signal,
    });
    const { offers, logger } = this;
    const api = this.api.for(request);
    this.agents.set(web, { caller, requestId: request.id, api, offers, session, publicUrl, logger });
    await reply.send(await this.handler.fetch(web, { parsedBody }));
  }
}

/** The calls behind a tool cannot be signed, because only the client has the signing secret. */
function requireUnsigned({ requiresSignature }: Caller): void {
  if (!requiresSignature) return;
  const message =
    'This key requires signed requests, which agents cannot send. Use another key. Nothing was charged.';
  throw new ApiError('CAPABILITY_REQUIRED', message);
}

function sessionOf({ headers }: FastifyRequest): string | null {
  const session = headers[sessionHeader];
  if (session === undefined) return null;
  if (typeof session === 'string' && /^[\x21-\x7e]{1,64}$/.test(session)) return session;
  const msg = 'must be 1 to 64 visible ASCII characters';
  throw invalid([{ loc: ['header', 'X-Atelier-Session'], msg, type: 'string' }]);
}
