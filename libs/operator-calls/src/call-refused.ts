/** The codes of refusals in the operators' API, each with its HTTP status. */
export const refusals = {
  BAD_REQUEST: 400,
  UNAUTHENTICATED: 401,
  ROLE_REQUIRED: 403,
  FOREIGN_ORIGIN: 403,
  RESOURCE_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REFUSED: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  VALIDATION_ERROR: 422,
  IDEMPOTENCY_KEY_REUSED: 422,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
} as const;

export type RefusalCode = keyof typeof refusals;

/** An error that the operator can fix. The message is one line that says how. */
export class CallRefused extends Error {
  override readonly name = 'CallRefused';

  constructor(
    message: string,
    readonly code: RefusalCode = 'REFUSED',
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
