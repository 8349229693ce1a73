import type { FastifyRequest } from 'fastify';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Caller } from '#application/command-context.js';

/**
 * The text that a request sends as its key; undefined when it sends none. The form of the key is not checked.
 */
export function bearerKeyOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  return /^Bearer +([^\s]{1,256}) *$/i.exec(headers.authorization ?? '')?.[1];
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined before the guard has let the request in. */
    caller?: Caller;
  }
}

export const CurrentCaller = createParamDecorator((_data: unknown, context: ExecutionContext): Caller => {
  const { caller } = context.switchToHttp().getRequest<FastifyRequest>();
  if (!caller) throw new Error('a route without @Public() was reached without a caller');
  return caller;
});
