import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { FieldProblem } from '#validation/validate.js';
import { errorStatuses, type ApiError, type ErrorCode } from './api-error.js';

export class ErrorDescription {
  @ApiProperty({
    description: 'Stable and machine-readable: branch on it.',
    enum: Object.keys(errorStatuses),
    enumName: 'ErrorCode',
    example: 'VALIDATION_ERROR',
  })
  code: ErrorCode;

  @ApiProperty({
    description: 'For people; its wording may change.',
    example: 'seed must be an integer from 0 to 2147483647. Nothing was charged.',
  })
  message: string;

  @ApiProperty({
    description: 'The request, as in `X-Request-Id` and the usage log.',
    example: '01K9Z7J0V4M2Q8T6R3N5B1C7DE',
    minLength: 26,
    maxLength: 26,
  })
  request_id: string;
}

export class ErrorDetail {
  @ApiProperty({
    description: 'The way to the field, from the part of the request it is in.',
    type: 'array',
    items: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
    example: ['body', 'seed'],
  })
  loc: readonly (string | number)[];

  @ApiProperty({ description: 'What is wrong with it.', example: 'must be an integer from 0 to 2147483647' })
  msg: string;

  @ApiProperty({ description: 'What kind of mistake it is.', example: 'integer' })
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
  return { error: { code, message, request_id: error.requestId ?? requestId }, ...(detail && { detail }) };
}
