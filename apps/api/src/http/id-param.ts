import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { isId } from '#platform/ids.js';
import { notFound } from '../errors/api-error.js';

/** The `public_id` of the path. What is no id at all names nothing, as does an unknown id: 404 for both. */
export const PublicId = createParamDecorator((what: string, context: ExecutionContext): string => {
  const { params } = context.switchToHttp().getRequest<FastifyRequest<{ Params: { public_id?: string } }>>();
  const id = params.public_id ?? '';
  if (!isId(id)) throw notFound(what);
  return id;
});
