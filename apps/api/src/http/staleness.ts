import type { FastifyReply } from 'fastify';
import type { Fresh } from '#application/consistency/read-your-writes.js';

/**
 * What was read. Where it lacks the caller's last writes, because a projector is down or far behind, the header
 * `X-Consistency: stale` says so: an answer that is honest about its age is worth more than none.
 */
export function unwrap<Value>({ value, stale }: Fresh<Value>, reply: FastifyReply): Value {
  if (stale) void reply.header('x-consistency', 'stale');
  return value;
}
