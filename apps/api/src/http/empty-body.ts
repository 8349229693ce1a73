import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { invalid } from '../errors/api-error.js';
import { readJsonBody, readRawBody } from './request-body.js';

/** More of them help no caller. */
const mostProblems = 100;

/**
 * The body of a request that needs none: absent, or `{}`, which some clients always send. Anything else is refused
 * rather than ignored: a caller who sends a field believes that it means something.
 * @throws ApiError 413, 415, 422
 */
export const EmptyBody = createParamDecorator(
  async (_data: unknown, context: ExecutionContext): Promise<undefined> => {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if ((await readRawBody(request)).length === 0) return undefined;
    const body = await readJsonBody(request);
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw invalid([{ loc: ['body'], msg: 'must be left out, or be an empty object', type: 'object' }]);
    }
    const problems = Object.keys(body)
      .slice(0, mostProblems)
      .map((field) => ({
        loc: ['body', field],
        msg: 'is not a field of this request',
        type: 'extra_forbidden',
      }));
    if (problems.length > 0) throw invalid(problems);
    return undefined;
  },
);
