import { Controller, Inject, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiProperty, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '#application/command-context.js';
import { longestRetentionDays } from '#domain/kept-for.js';
import { Configuration } from '#platform/configuration.js';
import { BooleanField, ChoiceField, IntegerField } from '#validation/fields.js';
import { DataSubjectField } from '#workflows/common-fields.js';
import { RequireCapability } from '../auth/api-key.guard.js';
import { CurrentCaller } from '../auth/caller.js';
import { ApiError, invalid } from '../http/api-error.js';
import {
  describedHeaders,
  DescribeErrors,
  DescribePublicId,
  DescribeWrite,
  idLike,
} from '../http/describe.js';
import { NoIdempotencyKey, NoQuery, PublicId, ValidBody } from '../http/valid-request.js';
import { DirectUploads } from './direct-uploads.js';
import { ServedPictures } from './served-pictures.js';
import { retainDaysAbout, reuseAbout, UploadIntake } from './upload-intake.js';
import { present, UploadResponse } from './upload-response.js';

class DirectUploadBody {
  @ChoiceField({
    description: 'The type of the file. The form accepts no other.',
    values: ['image/jpeg', 'image/png', 'image/webp'],
    required: true,
    example: 'image/jpeg',
  })
  content_type: string;
}

class CompletionBody {
  @DataSubjectField('whom it shows')
  data_subject?: string;

  @IntegerField({ description: retainDaysAbout, min: 1, max: longestRetentionDays })
  retain_days?: number;

  @BooleanField({ description: reuseAbout })
  reuse?: boolean;
}

class DirectUploadResponse {
  @ApiProperty({
    description: 'The id of the upload once it is complete.',
    ...idLike('01K9Z7J0V4M2Q8T6R3N5B1C7DE'),
  })
  asset_id: string;

  @ApiProperty({
    description: 'Where to send the form. It is the object storage, which wants no API key.',
    format: 'uri',
    example: 'https://atelier.example/pictures',
  })
  url: string;

  @ApiProperty({
    description: 'The fields of the form, all of them unchanged. The field `file` comes after them.',
    type: 'object',
    additionalProperties: { type: 'string' },
    example: {
      key: 'incoming/live/01K9Z7J0V2T4Y6U8P0A2S4D6F8/01K9Z7J0V4M2Q8T6R3N5B1C7DE',
      'Content-Type': 'image/jpeg',
      policy: 'eyJleHBpcmF0aW9uIjoi…',
    },
  })
  fields: Readonly<Record<string, string>>;

  @ApiProperty({
    description: 'The storage accepts the form until then.',
    format: 'date-time',
    example: '2026-01-31T12:15:00.000Z',
  })
  expires_at: string;

  @ApiProperty({
    description: 'What to call, with your API key, when the file is there.',
    format: 'uri',
    example: 'https://atelier.example/v1/uploads/direct/01K9Z7J0V4M2Q8T6R3N5B1C7DE/complete',
  })
  complete_url: string;
}

@ApiTags('uploads')
@Controller('/v1/uploads/direct')
export class DirectUploadsController {
  constructor(
    private readonly uploads: DirectUploads,
    private readonly intake: UploadIntake,
    private readonly pictures: ServedPictures,
    @Inject(Configuration) private readonly configuration: Pick<Configuration, 'publicUrl'>,
  ) {}

  @Post()
  @UseGuards(NoIdempotencyKey, NoQuery)
  @RequireCapability('jobs:create')
  @ApiOperation({
    operationId: 'beginDirectUpload',
    summary: 'A form that sends a picture straight to the object storage',
    description:
      'Send the form within 15 minutes, as `multipart/form-data`: its fields, and then the picture in `file`, with 1 byte to ' +
      '25 MiB. Then call `complete_url`. A file that is not completed is removed after an hour. An installation that keeps ' +
      'its pictures in a folder answers 422. Free.',
  })
  @ApiBody({ type: DirectUploadBody, required: true })
  @ApiResponse({ status: 201, description: 'Done.', type: DirectUploadResponse, headers: describedHeaders() })
  @DescribeErrors(401, 403, 413, 415, 422)
  async beginDirectUpload(
    @CurrentCaller() caller: Caller,
    @ValidBody(DirectUploadBody) { content_type }: DirectUploadBody,
  ): Promise<DirectUploadResponse> {
    const form = await this.uploads.form(caller, content_type);
    if (!form) throw noForms();
    const { assetId, url, fields, expiresAt } = form;
    const complete_url = `${this.configuration.publicUrl}/v1/uploads/direct/${assetId}/complete`;
    return {
      asset_id: assetId,
      url,
      fields: { ...fields },
      expires_at: expiresAt.toISOString(),
      complete_url,
    };
  }

  @Post(':public_id/complete')
  @UseGuards(NoIdempotencyKey, NoQuery)
  @RequireCapability('jobs:create')
  @ApiOperation({
    operationId: 'completeDirectUpload',
    summary: 'Take the file of a sent form as an upload',
    description:
      'With the limits and the answer of `POST /v1/uploads`. A file that is refused is removed. Once it has succeeded, the same ' +
      'request gives the same upload again. Free.',
  })
  @DescribePublicId('upload')
  @ApiBody({ type: CompletionBody, required: true })
  @DescribeWrite(201, UploadResponse)
  @DescribeErrors(401, 403, 404, 409, '410 of a picture', 413, 415, 422)
  async completeDirectUpload(
    @CurrentCaller() caller: Caller,
    @PublicId('upload') assetId: string,
    @ValidBody(CompletionBody) told: CompletionBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<UploadResponse> {
    const more = { told, requestId: request.id, timeoutMs: request.server.httpLimits.importMs };
    const completed = await this.intake.receiving.run(() => this.uploads.complete(caller, assetId, more));
    if (completed === 'in-use') throw underWay();
    if ('stored' in completed) return this.intake.answer(caller, completed.stored, reply);
    const { known } = completed;
    const shown = await this.pictures.shownNow(known.storageKey);
    return present({ ...known, ...(told.reuse && { alreadyThere: true }) }, shown, caller);
  }
}

function noForms(): ApiError {
  const msg =
    'asks for a form, and this installation keeps its pictures in a folder, which takes none: send the file to POST /v1/uploads';
  return invalid([{ loc: ['body'], msg, type: 'unavailable' }]);
}

function underWay(): ApiError {
  const message =
    'Another request is completing this upload. Send it again in a moment: it gets the same answer. Nothing was charged.';
  return new ApiError('IDEMPOTENCY_KEY_IN_USE', message, { headers: { 'retry-after': '1' } });
}
