import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyRequest, InjectOptions } from 'fastify';

// The answers are our own, as openapi.json describes them. Tools read a few fields and check those they return.
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

export interface OwnAnswer {
  readonly status: number;
  readonly body: Json;
  readonly bytes: Buffer;
}

/** An answer of the API other than success, in the words of the API. */
export class OwnRefusal extends Error {
  override readonly name = 'OwnRefusal';

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId: string | undefined,
  ) {
    super(message);
  }
}

interface Sent {
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload?: Buffer;
}

/** The calls that one agent's request makes to the API, with the key of that request. */
export interface CallerApi {
  /** @throws OwnRefusal for every answer other than success */
  get(path: string): Promise<Json>;
  /** @throws OwnRefusal */
  post(path: string, sent?: Sent): Promise<Json>;
  /** The answer as it is. */
  send(method: 'GET' | 'POST', path: string, sent?: Sent): Promise<OwnAnswer>;
  readonly description: () => Promise<Json>;
}

/**
 * The API of this process, called without a socket. Each call passes the guard like a call from outside, with the
 * same key and address. So authentication, limits, capabilities, validation, the usage log and idempotency are
 * those of `/v1`, and no tool can avoid them.
 */
@Injectable()
export class OwnApi {
  private described: Promise<Json> | undefined;

  constructor(private readonly host: HttpAdapterHost) {}

  for({ headers, ip }: Pick<FastifyRequest, 'headers' | 'ip'>): CallerApi {
    const { authorization = '', traceparent, host = 'localhost' } = headers;
    const common = {
      authorization,
      host,
      ...(typeof traceparent === 'string' && { traceparent }),
    };
    const send = (method: 'GET' | 'POST', path: string, { body, payload, headers: more }: Sent = {}) =>
      this.inject({
        method,
        url: path,
        remoteAddress: ip,
        headers: { ...common, ...(body && { 'content-type': 'application/json' }), ...more },
        ...((body ?? payload) && { payload: payload ?? JSON.stringify(body) }),
      });
    const succeed = async (answer: Promise<OwnAnswer>): Promise<Json> => {
      const { status, body } = await answer;
      if (status < 400) return body;
      throw refusalOf(status, body);
    };
    const get = (path: string) => succeed(send('GET', path));
    const describe = () =>
      get('/openapi.json').catch((error: unknown) => {
        // The next tool asks again.
        this.described = undefined;
        throw error;
      });
    return {
      send,
      get,
      post: (path, sent) => succeed(send('POST', path, sent)),
      description: () => (this.described ??= describe()),
    };
  }

  private async inject(options: InjectOptions): Promise<OwnAnswer> {
    const server: FastifyInstance = this.host.httpAdapter.getInstance();
    const { statusCode: status, rawPayload: bytes, headers } = await server.inject(options);
    const isJson = String(headers['content-type']).startsWith('application/json');
    return { status, bytes, body: isJson && bytes.length > 0 ? JSON.parse(bytes.toString()) : undefined };
  }
}

export function refusalOf(status: number, body: Json): OwnRefusal {
  const { code = 'INTERNAL_ERROR', message = 'The service gave no reason.', request_id } = body?.error ?? {};
  return new OwnRefusal(status, String(code), String(message), request_id as string | undefined);
}
