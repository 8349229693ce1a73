import type { FieldProblem } from '#validation/validate.js';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

export const errorStatuses = {
  BAD_REQUEST: 400,
  UNAUTHENTICATED: 401,
  INSUFFICIENT_BALANCE: 402,
  DAILY_SPEND_CAP_EXCEEDED: 402,
  CAPABILITY_REQUIRED: 403,
  ACCOUNT_INACTIVE: 403,
  OPERATION_DISABLED: 403,
  RELEASE_REQUIRED: 403,
  RESOURCE_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  IDEMPOTENCY_KEY_IN_USE: 409,
  JOB_ALREADY_FINISHED: 409,
  LEGAL_HOLD: 409,
  PRICE_CHANGED: 409,
  RELEASE_ENDED: 409,
  CATALOG_ENTRY_RETIRED: 410,
  PICTURE_ERASED: 410,
  PICTURE_GONE: 410,
  PRODUCT_ERASED: 410,
  PAYLOAD_TOO_LARGE: 413,
  URI_TOO_LONG: 414,
  UNSUPPORTED_MEDIA_TYPE: 415,
  VALIDATION_ERROR: 422,
  IDEMPOTENCY_KEY_REUSED: 422,
  IMPORT_FAILED: 422,
  IMPORT_REFUSED: 422,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL_ERROR: 500,
  LOG_MISMATCH: 503,
  SERVICE_UNAVAILABLE: 503,
  STORAGE_FULL: 503,
} as const;

export type ErrorCode = keyof typeof errorStatuses;

/**
 * An answer other than success. `message` is for people: it says what to do, and whether anything was charged.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly detail: readonly FieldProblem[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    readonly code: ErrorCode,
    message: string,
    more: {
      readonly detail?: readonly FieldProblem[];
      readonly headers?: Readonly<Record<string, string>>;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: more.cause });
    this.status = errorStatuses[code];
    this.detail = more.detail;
    this.headers = more.headers ?? {};
  }
}

/** The same words for an unknown id and for an id of another tenant. */
export function notFound(what: string): ApiError {
  return new ApiError('RESOURCE_NOT_FOUND', `There is no such ${what}. Nothing was charged.`);
}

/** @param erasedAt ISO 8601. @param field of the body that names it, if a body does */
export function erased(what: 'picture' | 'product', erasedAt: string, field?: string): ApiError {
  const subject = field === undefined ? `This ${what}` : `The ${what} that ${field} names`;
  return new ApiError(
    what === 'picture' ? 'PICTURE_ERASED' : 'PRODUCT_ERASED',
    `${subject} was erased on ${erasedAt} and cannot be restored. Nothing was charged: use another one.`,
  );
}

/** Names every field that is wrong. The message names the first few, `detail` names all of them. */
export function invalid(problems: readonly FieldProblem[]): ApiError {
  const shown = problems.slice(0, 3).map(({ loc, msg }) => `${nameOf(loc)} ${msg}`);
  const more = problems.length > shown.length ? ` (and ${problems.length - shown.length} more)` : '';
  return new ApiError('VALIDATION_ERROR', `${shown.join('; ')}${more}. Nothing was charged.`, {
    detail: problems,
  });
}

/** `['body', 'items', 0, 'trial_image']` → `items[0].trial_image`. */
function nameOf(loc: readonly (string | number)[]): string {
  const [place, ...path] = loc;
  const name = path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text ? `${text}.${part}` : part),
    '',
  );
  return name || `The ${place}`;
}

export class ErrorDescription {
  @ApiProperty({
    description: 'Stable and machine-readable: branch on it.',
    enum: Object.keys(errorStatuses),
    enumName: 'ErrorCode',
    enumSchema: { description: 'The meaning of each: /docs/guides/errors#what-each-code-means' },
    example: 'VALIDATION_ERROR',
  })
  code: ErrorCode;

  @ApiProperty({
    description: 'For people; its wording may change.',
    example: 'seed must be an integer from -2147483648 to 2147483647. Nothing was charged.',
  })
  message: string;

  @ApiProperty({
    description: 'The request, as in `X-Request-Id` and the usage log.',
    example: '01K9Z7J0V4M2Q8T6R3N5B1C7DE',
    minLength: 26,
    maxLength: 26,
  })
  request_id: string;

  @ApiProperty({
    description: 'The page of this service that says what to do about this code.',
    example: '/docs/guides/errors#validation_error',
  })
  docs_url: string;
}

export class ErrorDetail {
  @ApiProperty({
    description: 'The path to the field. It starts with the part of the request.',
    type: 'array',
    items: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
    example: ['body', 'seed'],
  })
  loc: readonly (string | number)[];

  @ApiProperty({
    description: 'The problem with the field.',
    example: 'must be an integer from -2147483648 to 2147483647',
  })
  msg: string;

  @ApiProperty({ description: 'The kind of mistake.', example: 'integer' })
  type: string;
}

/** Every answer other than success has this body. */
export class ErrorEnvelope {
  @ApiProperty()
  error: ErrorDescription;

  @ApiPropertyOptional({
    type: [ErrorDetail],
    description: 'Each field that is wrong. Only with status 422.',
  })
  detail?: readonly FieldProblem[];
}

export function envelopeOf(error: ApiError, requestId: string): ErrorEnvelope {
  const { code, message, detail } = error;
  const docs_url = `/docs/guides/errors#${code.toLowerCase()}`;
  return { error: { code, message, request_id: requestId, docs_url }, ...(detail && { detail }) };
}
