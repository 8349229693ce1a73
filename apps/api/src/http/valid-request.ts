import { createParamDecorator, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { ValidateBy, type ValidationOptions } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { BooleanField, field, IntegerField } from '#validation/fields.js';
import { validate, type Shape } from '#validation/validate.js';
import { invalid, notFound } from './api-error.js';
import { findUnsafeJson, readJsonBody, readRawBody } from './request-body.js';
import { isId } from '#platform/ids.js';

/** The request's JSON body as an instance of its class. @throws ApiError 413, 415, 422; InvalidFields */
export const ValidBody = createParamDecorator(
  async <T extends object>(shape: Shape<T>, context: ExecutionContext): Promise<T> =>
    validate(shape, await readJsonBody(context.switchToHttp().getRequest<FastifyRequest>()), 'body'),
);

/** The request's query as an instance of its class. @throws ApiError 422; InvalidFields */
export const ValidQuery = createParamDecorator(
  <T extends object>(shape: Shape<T>, context: ExecutionContext): T => {
    const { query } = context.switchToHttp().getRequest<FastifyRequest>();
    // Fastify's parser always gives an object.
    const values = { ...(query as object) };
    const unsafe = findUnsafeJson(values);
    if (unsafe) throw invalid([{ ...unsafe, loc: ['query', ...unsafe.loc] }]);
    return validate(shape, values, 'query');
  },
);

/** An integer that arrives as text. Other text stays text, and the validation rule refuses it. */
export function IntegerQuery(options: {
  description: string;
  min: number;
  max: number;
  default?: number;
}): PropertyDecorator {
  const fromText = (sent: unknown) =>
    typeof sent === 'string' && /^-?\d{1,15}$/.test(sent) ? Number(sent) : sent;
  return IntegerField({ ...options, fromText });
}

/** `true` or `false`, in these letters. */
export function BooleanQuery(options: { description: string; default?: boolean }): PropertyDecorator {
  const fromText = (sent: unknown) => (sent === 'true' ? true : sent === 'false' ? false : sent);
  return BooleanField({ ...options, fromText });
}

const dateTime = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

/** Checks that the day exists: `Date` would read the 30th of February as the 2nd of March. */
function isDateTime(value: unknown): boolean {
  const day = typeof value === 'string' ? dateTime.exec(value)?.[1] : undefined;
  if (day === undefined || Number.isNaN(Date.parse(String(value)))) return false;
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

const moment = {
  type: 'date_time',
  message: 'must be a date and time with a time zone, for example 2026-01-31T12:00:00Z',
  schema: { type: 'string', format: 'date-time' },
  rules: (told: ValidationOptions) => [
    ValidateBy({ name: 'date_time', validator: { validate: isDateTime } }, told),
  ],
};
const example = '2026-01-31T12:00:00Z';

export const DateTimeField = (description: string, shown = example): PropertyDecorator =>
  field({ description, example: shown }, moment);

export function DateTimeQuery(description: string): PropertyDecorator {
  // An unescaped `+` of a time zone arrives as a blank.
  const fromText = (sent: unknown) => (typeof sent === 'string' ? sent.replace(' ', '+') : sent);
  return field({ description, fromText, example }, moment);
}

/** Larger than any list through which a caller pages, and small enough for a fast query. */
export const deepestOffset = 1_000_000;

/** One page of a list, newest first. */
export class PageQuery {
  @IntegerQuery({ description: 'Rows on the page.', min: 1, max: 200, default: 50 })
  limit: number = 50;

  @IntegerQuery({ description: 'Rows before the page.', min: 0, max: deepestOffset, default: 0 })
  offset: number = 0;
}

/** More of them help no caller. */
const mostProblems = 100;

/**
 * The body of a request that needs none: absent, or `{}`, which some clients always send. Other bodies are
 * refused and not ignored, because a caller who sends a field expects an effect.
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

/**
 * For routes without an Idempotency-Key. A caller who sends one expects that the request happens only once, so
 * it is refused.
 */
@Injectable()
export class NoIdempotencyKey implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<FastifyRequest>();
    if (headers['idempotency-key'] === undefined) return true;
    const msg =
      'is only for dispatches: leave it out. Other requests cost nothing, and external_ref keeps a product from being created twice';
    throw invalid([{ loc: ['header', 'Idempotency-Key'], msg, type: 'value' }]);
  }
}

/**
 * For routes whose fields are all in the body. A field in the query is refused and not ignored: a caller may think that
 * `?data_subject=` named a person.
 */
@Injectable()
export class NoQuery implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { query } = context.switchToHttp().getRequest<FastifyRequest>();
    const [field] = Object.keys(query as object);
    if (field === undefined) return true;
    const msg = 'is not read from the URL: send it as a field of the body';
    throw invalid([{ loc: ['query', field], msg, type: 'extra_forbidden' }]);
  }
}

/** The `public_id` of the path. A malformed id and an unknown id both give 404. */
export const PublicId = createParamDecorator((what: string, context: ExecutionContext): string => {
  const { params } = context.switchToHttp().getRequest<FastifyRequest<{ Params: { public_id?: string } }>>();
  const id = params.public_id ?? '';
  if (!isId(id)) throw notFound(what);
  return id;
});
