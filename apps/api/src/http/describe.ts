import { applyDecorators, type Type } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiHeader,
  ApiParam,
  ApiProperty,
  ApiResponse,
  getSchemaPath,
  type ApiResponseOptions,
} from '@nestjs/swagger';
import type { FieldProblem } from '#validation/validate.js';
import { ApiError, envelopeOf, type ErrorCode, ErrorEnvelope } from './api-error.js';

export const idLike = (example: string) => ({ minLength: 26, maxLength: 26, example });
export const requestId = idLike('01K9Z7J0V4M2Q8T6R3N5B1C7DE');
export const jobId = idLike('01K9Z7J0V6X8Y2Z4A6B8C0D2EF');

type HeaderObject = NonNullable<ApiResponseOptions['headers']>[string];

export const headers = {
  'X-Request-Id': {
    description: 'The id of this request: the `request_id` of its error, and of its charge.',
    schema: { type: 'string', minLength: 26, maxLength: 26 },
    example: requestId.example,
  },
  'X-Consistency-Token': {
    description: 'Send it with later reads, on any replica, so that they see this write. Opaque.',
    schema: { type: 'string' },
    example: 'bGl2ZS40Mg',
  },
  'X-Consistency': {
    description: '`stale`: the answer may lack your last writes. Otherwise absent.',
    schema: { type: 'string', enum: ['stale'] },
  },
} satisfies Record<string, HeaderObject>;

export function describedHeaders(...names: (keyof typeof headers)[]): Record<string, HeaderObject> {
  return Object.fromEntries(['X-Request-Id' as const, ...names].map((name) => [name, headers[name]]));
}

/**
 * For a read of the caller's own data, which includes the caller's own writes.
 * @param alsoAs further representations beside JSON, by media type
 */
export function DescribeRead(
  type: Type,
  alsoAs: ApiResponseOptions['content'] = {},
  alsoWith: Record<string, HeaderObject> = {},
): MethodDecorator {
  const json = { schema: { $ref: getSchemaPath(type) } };
  return applyDecorators(
    ApiHeader({
      name: 'X-Consistency-Token',
      required: false,
      description:
        'The token from the answer to a write. The read then waits until it shows that write, for at most two seconds.',
      schema: { type: 'string' },
    }),
    ApiExtraModels(type),
    ApiResponse({
      status: 200,
      description: 'Found.',
      content: { 'application/json': json, ...alsoAs },
      headers: { ...describedHeaders('X-Consistency'), ...alsoWith },
    }),
  );
}

export function PageOf<Item>(
  item: Type<Item>,
  { total, example = 1, ...items }: { total?: string; example?: number; description?: string },
) {
  class Page {
    @ApiProperty({ type: [item], ...items })
    items: Item[];

    @ApiProperty({ ...(total && { description: total }), type: 'integer', minimum: 0, example })
    total: number;

    @ApiProperty({ type: 'integer', minimum: 1, maximum: 200, example: 50 })
    limit: number;

    @ApiProperty({ type: 'integer', minimum: 0, example: 0 })
    offset: number;
  }
  return Page;
}

/**
 * For a read of what does not depend on the caller's writes.
 * @param type in an array: a list of these
 * @param alsoAs further representations beside JSON, by media type
 */
export function DescribeFixed(
  type: Type | [Type],
  { description = 'Found.', alsoAs }: { description?: string; alsoAs?: ApiResponseOptions['content'] } = {},
): MethodDecorator {
  const told = { status: 200, description, headers: describedHeaders() };
  if (!alsoAs || Array.isArray(type)) return ApiResponse({ ...told, type });
  const json = { schema: { $ref: getSchemaPath(type) } };
  return applyDecorators(
    ApiExtraModels(type),
    ApiResponse({ ...told, content: { 'application/json': json, ...alsoAs } }),
  );
}

export function DescribeWrite(status: number, type?: Type, description = 'Done.'): MethodDecorator {
  const headers = describedHeaders('X-Consistency-Token');
  return ApiResponse({ status, description, ...(type && { type }), headers });
}

export function DescribePublicId(what: string): MethodDecorator {
  return ApiParam({
    name: 'public_id',
    description: `The ${what}'s id. A malformed id, an unknown id and another tenant's id give the same 404.`,
    schema: { type: 'string', minLength: 26, maxLength: 26 },
    example: jobId.example,
  });
}

interface ErrorExample {
  readonly description: string;
  readonly codes: Partial<Record<ErrorCode, string>>;
}

const usualErrors = {
  401: {
    description: 'The key is missing, malformed, unknown or revoked: the same answer for all of them.',
    codes: { UNAUTHENTICATED: 'Send a valid API key in the header Authorization: Bearer <API_KEY>.' },
  },
  402: {
    description: 'The balance, or the rest of the daily cap, does not cover the cost. Nothing was charged.',
    codes: {
      INSUFFICIENT_BALANCE:
        'This costs 5 credits and the balance is 3. Nothing was charged: buy credits first.',
      DAILY_SPEND_CAP_EXCEEDED:
        "This costs 5 credits; 98 of today's cap of 100 are spent. Nothing was charged: try again after 2026-02-01T08:30:00.001Z.",
    },
  },
  403: {
    description: 'The key lacks the capability.',
    codes: {
      CAPABILITY_REQUIRED:
        'This key lacks the capability jobs:create. Use a key that has it. Nothing was charged.',
    },
  },
  404: {
    description:
      'The resource, or something that the body refers to, is unknown or belongs to another tenant.',
    codes: { RESOURCE_NOT_FOUND: 'There is no such job. Nothing was charged.' },
  },
  409: {
    description: 'A request with the same Idempotency-Key is still in progress.',
    codes: {
      IDEMPOTENCY_KEY_IN_USE:
        'A request with this Idempotency-Key is still in progress. Send yours again in a moment: it gets the same answer.',
    },
  },
  410: {
    description: 'The body refers to a catalogue entry that was retired, or to something that was erased.',
    codes: {
      PICTURE_ERASED:
        'The picture that product_image_s3_key names was erased on 2026-02-01T08:30:00.001Z and cannot be restored. Nothing was charged: use another one.',
      PRODUCT_ERASED:
        'The product that product_id names was erased on 2026-02-01T08:30:00.001Z and cannot be restored. Nothing was charged: use another one.',
      CATALOG_ENTRY_RETIRED:
        'model_preset_id names a catalogue entry that was retired. Nothing was charged: choose another one.',
    },
  },
  413: {
    description: 'The body is too large.',
    codes: {
      PAYLOAD_TOO_LARGE:
        'The body is larger than the 131072 bytes (128 KiB) that this route takes. Nothing was charged.',
    },
  },
  415: {
    description: 'The content type, or the type of the uploaded file, is not accepted.',
    codes: {
      UNSUPPORTED_MEDIA_TYPE:
        'Send the body as JSON, with the header Content-Type: application/json. Nothing was charged.',
    },
  },
  422: {
    description:
      'The body, a parameter or a header is not valid. `detail` names each field. Nothing was charged.',
    codes: {
      VALIDATION_ERROR: 'seed must be an integer from -2147483648 to 4294967295. Nothing was charged.',
    },
  },
  429: {
    description:
      "The key's requests of this minute are used up; or too many requests without a valid key came from this address.",
    codes: {
      RATE_LIMITED: 'This key may make 600 requests a minute. Nothing was charged: try again in a second.',
    },
  },
  500: {
    description: 'Something went wrong on our side.',
    codes: {
      INTERNAL_ERROR:
        'Something went wrong on our side. Quote the request_id when you report it. A charge without a job is refunded automatically.',
    },
  },
  503: {
    description: 'The service cannot do it right now. `Retry-After` says when to try again.',
    codes: {
      SERVICE_UNAVAILABLE:
        'The service cannot reach its store right now. Send the request again. For a dispatch, use the same Idempotency-Key, so that it happens only once. A charge without a job is refunded automatically.',
      STORAGE_FULL:
        'The service has no room left to store this, so nothing was done. Send the request again once the operator has made room.',
    },
  },
} as const satisfies Record<number, ErrorExample>;

/** By status, with the forms that only some routes give. */
const errors = {
  ...usualErrors,
  '403 of a dispatch': {
    description:
      'The key lacks the capability, the account is not active, the operator has disabled the workflow, or you ' +
      'require releases and none covers the use of a person. Nothing was charged.',
    codes: {
      ...usualErrors[403].codes,
      ACCOUNT_INACTIVE: 'This account is not active. Nothing was charged: ask your operator.',
      OPERATION_DISABLED: 'model-generator is disabled at present. Nothing was charged: ask your operator.',
      RELEASE_REQUIRED:
        'No release of "customer-4711" covers try-on now. Nothing was charged: grant one with POST /v1/releases, or leave out the pictures of this person.',
    },
  },
  '409 of a cancel': {
    description: 'The job has ended already, and stays as it is.',
    codes: {
      JOB_ALREADY_FINISHED: 'The job has ended already: there is nothing to cancel.',
    },
  },
  '409 of an erasure': {
    description: `${usualErrors[409].description} Or a legal hold covers something that would be erased.`,
    codes: {
      ...usualErrors[409].codes,
      LEGAL_HOLD:
        'A legal hold on a person covers something that this would erase. Nothing was erased: ask your operator, and send the request again once the hold is lifted.',
    },
  },
  '409 of a dispatch': {
    description: `${usualErrors[409].description} Or the price is not the one that the caller expects.`,
    codes: {
      ...usualErrors[409].codes,
      PRICE_CHANGED:
        'This costs 6 credits, and you agreed to 5. Nothing was charged: agree to the new price first.',
    },
  },
  '409 of a release': {
    description: 'The release has ended, and stays as it is.',
    codes: { RELEASE_ENDED: 'This release has ended. Nothing was changed: grant a new one.' },
  },
  '410 of a picture': {
    description:
      'The picture was erased; or its bytes are gone from the storage, or are not those that were stored.',
    codes: {
      PICTURE_ERASED:
        'This picture was erased on 2026-02-01T08:30:00.001Z and cannot be restored. Nothing was charged: use another one.',
      PICTURE_GONE:
        'The bytes of this picture are gone from the storage, or are not those that were stored. Ask the operator of the service to restore it. Nothing was charged.',
    },
  },
  '410 of a product': {
    description: 'The product, or the picture that the body names, was erased.',
    codes: {
      PICTURE_ERASED:
        'This picture was erased on 2026-02-01T08:30:00.001Z and cannot be restored. Nothing was charged: use another one.',
      PRODUCT_ERASED:
        'This product was erased on 2026-02-01T08:30:00.001Z and cannot be restored. Nothing was charged: use another one.',
    },
  },
  '422 of an import': {
    description: `${usualErrors[422].description} Or the server of the picture does not give it.`,
    codes: {
      ...usualErrors[422].codes,
      IMPORT_FAILED: 'url names a server that answered with 404 and not with 200. Nothing was charged.',
      IMPORT_REFUSED:
        'url leads into a private or local network, which this service does not call: use a public address, or upload the file itself. Nothing was charged.',
    },
  },
  '422 of a dispatch': {
    description: `${usualErrors[422].description} Also an Idempotency-Key that was used for another body.`,
    codes: {
      ...usualErrors[422].codes,
      IDEMPOTENCY_KEY_REUSED:
        'This Idempotency-Key was used for another body. Use a new key for a new request. Nothing was charged.',
    },
  },
} as const satisfies Record<string, ErrorExample>;

/** The `detail` of the codes that have one. */
const details: Partial<Record<ErrorCode, FieldProblem>> = {
  VALIDATION_ERROR: {
    loc: ['body', 'seed'],
    msg: 'must be an integer from -2147483648 to 2147483647',
    type: 'integer',
  },
  IDEMPOTENCY_KEY_REUSED: {
    loc: ['header', 'Idempotency-Key'],
    msg: 'was used for another body. Use a new key for a new request',
    type: 'value',
  },
};

/**
 * The error answers of a route. 500 and 503 are always possible, and 429 wherever a key is needed. `default`
 * stands for errors of HTTP itself.
 */
export function DescribeErrors(
  ...statuses: Exclude<keyof typeof errors, 429 | 500 | 503>[]
): MethodDecorator {
  const limited = statuses.includes(401) ? [429 as const] : [];
  return applyDecorators(
    ...[...statuses, ...limited, 500 as const, 503 as const].map((status) => {
      const { description, codes } = errors[status];
      return ApiResponse({
        status: Number.parseInt(String(status)),
        description,
        type: ErrorEnvelope,
        headers: describedHeaders(),
        examples: Object.fromEntries(
          Object.entries(codes).map(([key, message]) => {
            // The codes are the keys of that table.
            const code = key as ErrorCode;
            const detail = details[code];
            const error = new ApiError(code, message, detail && { detail: [detail] });
            return [code, { summary: code, value: envelopeOf(error, requestId.example) }];
          }),
        ),
      });
    }),
    ApiResponse({
      status: 'default',
      description: 'Any other error, in the same envelope.',
      type: ErrorEnvelope,
    }),
  );
}
