import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { validate, type Shape } from '#validation/validate.js';
import { invalid } from '../errors/api-error.js';
import { findUnsafeJson } from '../http/json-safety.js';
import { readJsonBody } from '../http/request-body.js';

/** The request's JSON body as an instance of its class. @throws ApiError 413, 415, 422; InvalidFields */
export const ValidBody = createParamDecorator(
  async <T extends object>(shape: Shape<T>, context: ExecutionContext): Promise<T> =>
    validate(shape, await readJsonBody(context.switchToHttp().getRequest<FastifyRequest>()), 'body'),
);

/** The request's query as an instance of its class. @throws ApiError 422; InvalidFields */
export const ValidQuery = createParamDecorator(
  <T extends object>(shape: Shape<T>, context: ExecutionContext): T => {
    const { query } = context.switchToHttp().getRequest<FastifyRequest>();
    const values = { ...(query as object) };
    const unsafe = findUnsafeJson(values);
    if (unsafe) throw invalid([{ ...unsafe, loc: ['query', ...unsafe.loc] }]);
    return validate(shape, values, 'query');
  },
);
