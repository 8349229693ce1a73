import type { FastifyRequest } from 'fastify';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Caller } from '#application/command-context.js';

/**
 * The text that a request sends as its key; undefined when it sends none. The form of the key is not checked.
 */
export function bearerKeyOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  return /^Bearer +([^\s]{1,256}) *$/i.exec(headers.authorization ?? '')?.[1];
}

const callers = Symbol('caller');

type WithCaller = FastifyRequest & { [callers]?: Caller };

export function setCaller(request: FastifyRequest, caller: Caller): void {
  // The guard adds the caller to Fastify's request, but the type of the request does not declare it.
  (request as WithCaller)[callers] = caller;
}

/** The caller of the request; undefined before the guard has let it in. */
export function callerOf(request: FastifyRequest): Caller | undefined {
  return (request as WithCaller)[callers];
}

export const CurrentCaller = createParamDecorator((_data: unknown, context: ExecutionContext): Caller => {
  const caller = callerOf(context.switchToHttp().getRequest<FastifyRequest>());
  if (!caller) throw new Error('a route without @Public() was reached without a caller');
  return caller;
});
