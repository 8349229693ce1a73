import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest, FastifyReply } from 'fastify';
import type { Caller } from '#application/command-context.js';
import { invalid } from './api-error.js';
import type { Fresh, ReadYourWrites } from '#application/consistency/read-your-writes.js';

const header = 'x-consistency-token';

/**
 * Remembers the caller's write for its next reads, and adds the position of the log after it to the answer, as
 * an opaque token that every replica accepts. A write that changed nothing has no position.
 */
export function tellWrite(
  consistency: ReadYourWrites,
  caller: Caller,
  position: bigint | undefined,
  reply: FastifyReply,
): void {
  if (position === undefined) return;
  consistency.noteWrite(caller, position);
  void reply.header(header, Buffer.from(`${caller.environment}.${position}`).toString('base64url'));
}

/**
 * The position that the caller's token names. @throws ApiError 422 for a token that this service did not give
 */
export const ConsistencyToken = createParamDecorator(
  (_data: unknown, context: ExecutionContext): bigint | undefined => {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const token = request.headers[header];
    if (token === undefined) return undefined;
    const text = typeof token === 'string' ? Buffer.from(token, 'base64url').toString('latin1') : '';
    const match = /^(live|test)\.(\d{1,18})$/.exec(text);
    if (!match?.[2] || match[1] !== request.caller?.environment) {
      const msg = 'is not a token of this environment: send it exactly as you received it, or leave it out';
      throw invalid([{ loc: ['header', 'X-Consistency-Token'], msg, type: 'value' }]);
    }
    return BigInt(match[2]);
  },
);

/**
 * Returns the value of a read. If the value lacks the caller's last writes, because a projector is down or far
 * behind, the header `X-Consistency: stale` says so. An answer that admits its age is better than no answer.
 */
export function unwrap<Value>({ value, stale }: Fresh<Value>, reply: FastifyReply): Value {
  if (stale) void reply.header('x-consistency', 'stale');
  return value;
}
