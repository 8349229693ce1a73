import {
  Controller,
  Get,
  Inject,
  Post,
  Req,
  Res,
  UseGuards,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBody, ApiConsumes, ApiOperation, ApiProperty, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '#application/command-context.js';
import { longestDataSubject } from '#domain/data-subject.js';
import { longestRetentionDays } from '#domain/kept-for.js';
import { ReadYourWrites } from '#application/consistency/read-your-writes.js';
import { StoredPictures } from '#application/picture/stored-pictures.js';
import { ReadModels } from '#application/read-models.js';
import { Configuration } from '#platform/configuration.js';
import { Logger } from '#platform/logger.js';
import { BooleanField, IntegerField, TextField } from '#validation/fields.js';
import { validate } from '#validation/validate.js';
import { DataSubjectField } from '#workflows/common-fields.js';
import { ServedPictures } from './served-pictures.js';
import { OpenToClientTokens, RequireCapability } from '../auth/api-key.guard.js';
import { CurrentCaller } from '../auth/caller.js';
import {
  DescribeErrors,
  DescribeFixed,
  DescribePublicId,
  DescribeRead,
  DescribeWrite,
} from '../http/describe.js';
import { ApiError, envelopeOf, ErrorDescription, invalid, notFound } from '../http/api-error.js';
import { ConsistencyToken, unwrap } from '../http/consistency-token.js';
import { translateError } from '../http/error.filter.js';
import { findUnsafeJson } from '../http/request-body.js';
import {
  BooleanQuery,
  IntegerQuery,
  NoIdempotencyKey,
  NoQuery,
  PageQuery,
  PublicId,
  ValidBody,
  ValidQuery,
} from '../http/valid-request.js';
import { BoundedConcurrency, TenantPlaces } from '#platform/bounded-concurrency.js';
import { reuseAbout, retainDaysAbout, tooBusy, UploadIntake } from './upload-intake.js';
import { present, UploadResponse } from './upload-response.js';
import { presentListed, UploadListResponse } from './listed-uploads.js';
import { fetchPicture } from './fetched-picture.js';
import {
  clearLeftUploads,
  leftAfterMs,
  spoolUpload,
  spoolUploads,
  type SpooledFile,
  tooLarge,
  uploadLimitBytes,
} from './spooled-upload.js';

/** The text fields beside the file. */
class UploadFields {
  @DataSubjectField('whom it shows')
  data_subject?: string;

  @IntegerQuery({ description: retainDaysAbout, min: 1, max: longestRetentionDays })
  retain_days?: number;

  @BooleanQuery({ description: reuseAbout })
  reuse?: boolean;
}

class ImportBody {
  @TextField({
    description:
      'An `https://` URL on the internet that answers with the picture itself. Redirects are not followed.',
    min: 1,
    max: 2048,
    required: true,
    example: 'https://shop.example/pictures/coat.jpg',
  })
  url: string;

  @DataSubjectField('whom it shows')
  data_subject?: string;

  @IntegerField({ description: retainDaysAbout, min: 1, max: longestRetentionDays })
  retain_days?: number;

  @BooleanField({ description: reuseAbout })
  reuse?: boolean;
}

const textProperties = {
  data_subject: {
    type: 'string',
    minLength: 1,
    maxLength: longestDataSubject,
    description:
      'Your own name for the person whom it shows. All that is made from it belongs to the same person.',
    example: 'customer-4711',
  },
  retain_days: {
    type: 'integer',
    minimum: 1,
    maximum: longestRetentionDays,
    description: retainDaysAbout,
    example: 30,
  },
  reuse: { type: 'boolean', description: reuseAbout, example: true },
} as const;

class BatchUploadItem {
  @ApiProperty({
    description: 'The name that you gave the file.',
    type: String,
    nullable: true,
    example: 'coat.jpg',
  })
  file_name: string | null;

  @ApiProperty({
    description: 'The upload; null if this file was refused.',
    type: UploadResponse,
    nullable: true,
  })
  upload: UploadResponse | null;

  @ApiProperty({
    description: 'Why this file was refused, and what to do; null if it was not.',
    type: ErrorDescription,
    nullable: true,
  })
  error: ErrorDescription | null;
}

class BatchUploadResponse {
  @ApiProperty({ description: 'One for each file, in the order of the files.', type: [BatchUploadItem] })
  items: BatchUploadItem[];
}

/** The form of several pictures. A caller with more of them sends several requests. */
const batchForm = {
  textFields: ['data_subject', 'retain_days', 'reuse'],
  files: 20,
  bytes: 4 * uploadLimitBytes,
};

/** A picture that is refused came from the URL: the body has no field `file`. */
function ofUrl(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.code !== 'VALIDATION_ERROR') return error;
  const problem = invalid((error.detail ?? []).map((each) => ({ ...each, loc: ['body', 'url'] })));
  problem.cause = error.cause;
  return problem;
}

const mostImportsOfTenant = 8;

/** @throws ApiError 422; InvalidFields */
function validFields(texts: Readonly<Record<string, unknown>>): UploadFields {
  const unsafe = findUnsafeJson(texts);
  if (unsafe) throw invalid([{ ...unsafe, loc: ['body', ...unsafe.loc] }]);
  return validate(UploadFields, texts, 'body');
}

@ApiTags('uploads')
@Controller('/v1/uploads')
export class UploadsController implements OnModuleInit, OnModuleDestroy {
  private clearing: NodeJS.Timeout | undefined;
  /** How many bodies of several pictures may arrive at the same time. Each one costs up to 125 MiB on disk. */
  private readonly receivingBatches = new BoundedConcurrency(8, 0, tooBusy);
  /** Imports that wait for other servers. They are apart, so that slow servers take no place of an upload. */
  private readonly importing = new TenantPlaces(32, mostImportsOfTenant, tooBusy);

  constructor(
    private readonly intake: UploadIntake,
    private readonly stored: StoredPictures,
    private readonly reads: ReadModels,
    private readonly consistency: ReadYourWrites,
    private readonly pictures: ServedPictures,
    @Inject(Configuration) private readonly configuration: Configuration,
    @Inject(Logger) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    const clear = () =>
      clearLeftUploads().catch((err: unknown) => this.logger.warn({ err }, 'left uploads are not cleared'));
    void clear();
    this.clearing = setInterval(() => void clear(), leftAfterMs).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.clearing);
  }

  @Post()
  @UseGuards(NoIdempotencyKey, NoQuery)
  @OpenToClientTokens('upload')
  @RouteConfig({ streamsBody: true })
  @RequireCapability('jobs:create')
  @ApiOperation({
    summary: 'Upload a picture: JPEG, PNG or WebP, at most 25 MiB',
    description:
      'The picture is decoded, turned upright and kept without its metadata; Content Credentials (C2PA) of at most 1 MiB are ' +
      'kept beside it. An animation is reduced to its first frame. A ' +
      'picture of more than 50 megapixels is scaled down to 50. A picture is refused if it has more than 200 megapixels, ' +
      'more than 50 in a progressive file, or a side of more than 32,768 pixels. 25 MiB are 26,214,400 bytes. Free.',
  })
  @ApiConsumes('multipart/form-data')
  @ApiBody({
    required: true,
    schema: {
      type: 'object',
      required: ['file'],
      additionalProperties: false,
      properties: { file: { type: 'string', format: 'binary' }, ...textProperties },
    },
  })
  @DescribeWrite(201, UploadResponse)
  @DescribeErrors(401, 403, 409, 413, 415, 422)
  async createUpload(
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<UploadResponse> {
    const stored = await this.intake.receiving.run(async () => {
      await using upload = await spoolUpload(request, ['data_subject', 'retain_days', 'reuse']);
      const fields = validFields(upload.texts);
      // Awaited here, because the file must exist until it is decoded.
      return await this.intake.store(caller, upload.path, fields, request.id);
    });
    return this.intake.answer(caller, stored, reply);
  }

  @Post('batch')
  @UseGuards(NoIdempotencyKey, NoQuery)
  @RouteConfig({ streamsBody: true })
  @RequireCapability('jobs:create')
  @ApiOperation({
    operationId: 'uploadBatch',
    summary: 'Upload up to 20 pictures in one request',
    description:
      'Each picture as in `POST /v1/uploads`, and at most 100 MiB (104,857,600 bytes) together. The text fields hold for all of ' +
      'them. A picture that is refused does not stop the others: the answer is 201 if all were stored, and 207 if at least one was ' +
      'not. Nothing is stored before the whole request has arrived. Free.',
  })
  @ApiConsumes('multipart/form-data')
  @ApiBody({
    required: true,
    schema: {
      type: 'object',
      required: ['file'],
      additionalProperties: false,
      properties: {
        file: {
          type: 'array',
          minItems: 1,
          maxItems: batchForm.files,
          items: { type: 'string', format: 'binary' },
        },
        ...textProperties,
      },
    },
  })
  @DescribeWrite(201, BatchUploadResponse)
  @DescribeWrite(207, BatchUploadResponse, 'At least one picture was refused: look at each `error`.')
  @DescribeErrors(401, 403, 413, 415, 422)
  async uploadBatch(
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<BatchUploadResponse> {
    const items = await this.receivingBatches.run(async () => {
      await using upload = await spoolUploads(request, batchForm);
      const fields = validFields(upload.texts);
      const stored: BatchUploadItem[] = [];
      // One after the other, so that a caller with many pictures takes one place among those who upload one.
      for (const file of upload.files)
        stored.push(await this.storeOne(caller, file, fields, request.id, reply));
      return stored;
    });
    void reply.status(items.some(({ error }) => error) ? 207 : 201);
    return { items };
  }

  /** @returns its error, if it cannot be stored */
  private async storeOne(
    caller: Caller,
    { path, name, isTooLarge }: SpooledFile,
    fields: UploadFields,
    requestId: string,
    reply: FastifyReply,
  ): Promise<BatchUploadItem> {
    const file_name = name?.slice(0, 255) ?? null;
    try {
      if (isTooLarge) throw tooLarge();
      const stored = await this.intake.store(caller, path, fields, requestId);
      return { file_name, upload: await this.intake.answer(caller, stored, reply), error: null };
    } catch (raised) {
      const error = translateError(raised);
      if (error.status >= 500)
        this.logger.warn({ requestId, err: error.cause ?? error }, 'a picture of a batch is not stored');
      return { file_name, upload: null, error: envelopeOf(error, requestId).error };
    }
  }

  @Post('import')
  @UseGuards(NoIdempotencyKey, NoQuery)
  @RequireCapability('jobs:create')
  @ApiOperation({
    operationId: 'importUpload',
    summary: 'Take a picture from a URL as an upload',
    description:
      'The service reads the picture at the URL once, within 30 seconds, and keeps it as if you had uploaded it, with the ' +
      'same limits. Addresses in private and local networks are refused. Free.',
  })
  @ApiBody({ type: ImportBody, required: true })
  @DescribeWrite(201, UploadResponse)
  @DescribeErrors(401, 403, 413, 415, '422 of an import')
  async importUpload(
    @CurrentCaller() caller: Caller,
    @ValidBody(ImportBody) body: ImportBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<UploadResponse> {
    const left = new AbortController();
    reply.raw.once('close', () => left.abort());
    const limits = {
      allowedNetworks: this.configuration.importNetworks,
      timeoutMs: request.server.httpLimits.importMs,
      left: left.signal,
    };
    await using file = await this.importing.run(caller.tenant, () => fetchPicture(body.url, limits));
    const stored = await this.intake.store(caller, file.path, body, request.id).catch((error: unknown) => {
      throw ofUrl(error);
    });
    return await this.intake.answer(caller, stored, reply);
  }

  @Get()
  @RequireCapability('jobs:read')
  @ApiOperation({
    operationId: 'listUploads',
    summary: 'Your uploaded pictures, newest first',
    description: 'Pictures that were erased are not among them.',
  })
  @ApiQuery({ type: PageQuery })
  @DescribeRead(UploadListResponse)
  @DescribeErrors(401, 403, 422)
  async listUploads(
    @CurrentCaller() caller: Caller,
    @ValidQuery(PageQuery) { limit, offset }: PageQuery,
    @ConsistencyToken() token: bigint | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<UploadListResponse> {
    const read = () => this.reads.of(caller.environment).assets.uploads(caller.tenant, { limit, offset });
    const { items, total } = unwrap(await this.consistency.read(caller, 'assets', token, read), reply);
    const uploads = items.map(async (each) =>
      presentListed(each, await this.pictures.shown(each.storageKey), caller),
    );
    return { items: await Promise.all(uploads), total, limit, offset };
  }

  @Get(':public_id')
  @RequireCapability('jobs:read')
  @ApiOperation({
    summary: 'An uploaded picture, with fresh URLs',
    description:
      'If it was erased: 410 `PICTURE_ERASED`. If its bytes are gone from the storage, or are not those that were stored: ' +
      '410 `PICTURE_GONE`.',
  })
  @DescribePublicId('upload')
  @DescribeFixed(UploadResponse)
  @DescribeErrors(401, 403, 404, '410 of a picture')
  async getUpload(
    @CurrentCaller() caller: Caller,
    @PublicId('upload') assetId: string,
  ): Promise<UploadResponse> {
    const stored = await this.stored.upload(caller, assetId);
    if (!stored) throw notFound('upload');
    return present(stored, await this.pictures.shownNow(stored.storageKey), caller);
  }
}
