import { Controller, Delete, Get, HttpCode, Inject, Param, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOperation, ApiParam, ApiProperty, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerContext, type Caller } from '#application/command-context.js';
import { CatalogQueries } from '#application/catalog/catalog-queries.js';
import { RetireCatalogEntry } from '#application/catalog/retire-entry.handler.js';
import { ReadYourWrites } from '#application/consistency/read-your-writes.js';
import type { CatalogEntry } from '#application/read-models.js';
import { catalogResources, type CatalogResource } from '#domain/catalog/catalog.js';
import { Clock } from '#platform/clock.js';
import {
  pictureUrl,
  renderKey,
  ThumbnailsProperty,
  ThumbnailUrlsResponse,
} from '../uploads/thumbnail-urls.js';
import { ServedPictures } from '../uploads/served-pictures.js';
import { RequireCapability } from '../auth/api-key.guard.js';
import { CurrentCaller } from '../auth/caller.js';
import {
  DescribeErrors,
  DescribePublicId,
  DescribeRead,
  DescribeWrite,
  idLike,
  jobId,
  PageOf,
} from '../http/describe.js';
import { notFound } from '../http/api-error.js';
import { ConsistencyToken, tellWrite, unwrap } from '../http/consistency-token.js';
import { EmptyBody, PageQuery, PublicId, ValidQuery } from '../http/valid-request.js';
import { MetaProperty, shownMeta, Word } from '../http/vocabulary.js';

export class CatalogEntryResponse {
  @ApiProperty({
    description:
      'The id of the entry and of its picture: an asset id, which every field for a picture accepts.',
    ...idLike('01K9Z7J0V8G3H5J7K9M2N4P6QR'),
  })
  public_id: string;

  @Word('ArtifactKind', { description: 'What it shows.', example: 'model_portrait' })
  kind: string;

  @ApiProperty({ example: 'Asha' })
  label: string;

  @ApiProperty({
    description: 'Short-lived presigned GET URL.',
    ...pictureUrl(`${renderKey.replace('.png', '')}/01K9Z7J0V8G3H5J7K9M2N4P6QR.png`),
  })
  image_url: string;

  @ThumbnailsProperty()
  thumbnails: ThumbnailUrlsResponse;

  @ApiProperty({ description: 'In pixels.', type: 'integer', minimum: 1, example: 1024 })
  width: number;

  @ApiProperty({ description: 'In pixels.', type: 'integer', minimum: 1, example: 1536 })
  height: number;

  @MetaProperty("Facts about the entry: the `meta` of the job's artifact.", {
    gender: 'FEMALE',
    age_range: '22-26',
  })
  attributes: Readonly<Record<string, unknown>>;

  @ApiProperty({ description: 'The job that made it.', ...jobId })
  job_id: string;

  @ApiProperty({ format: 'date-time', example: '2026-01-31T12:00:01.000Z' })
  created_at: string;
}

export class CatalogListResponse extends PageOf(CatalogEntryResponse, { total: 'Entries in all.' }) {}

const DescribeResource = () =>
  ApiParam({
    name: 'resource',
    description: 'Anything else gives 404.',
    enum: catalogResources,
    enumName: 'CatalogResource',
    example: 'models',
  });

/** @throws ApiError 404 */
function resourceNamed(name: string): CatalogResource {
  const resource = catalogResources.find((each) => each === name);
  if (!resource) throw notFound(`catalog resource: use one of ${catalogResources.join(', ')}`);
  return resource;
}

@ApiTags('catalog')
@Controller('/v1/catalog')
export class CatalogController {
  constructor(
    private readonly commands: CommandBus,
    private readonly catalog: CatalogQueries,
    private readonly consistency: ReadYourWrites,
    private readonly pictures: ServedPictures,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  @Get(':resource')
  @RequireCapability('jobs:read')
  @ApiOperation({ summary: 'Models, backgrounds, garments or shots that your jobs have made, newest first' })
  @DescribeResource()
  @ApiQuery({ type: PageQuery })
  @DescribeRead(CatalogListResponse)
  @DescribeErrors(401, 403, 404, 422)
  async listCatalog(
    @CurrentCaller() caller: Caller,
    @Param('resource') name: string,
    @ValidQuery(PageQuery) { limit, offset }: PageQuery,
    @ConsistencyToken() token: bigint | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CatalogListResponse> {
    const found = await this.catalog.entries(caller, resourceNamed(name), { limit, offset }, token);
    const { items, total } = unwrap(found, reply);
    return { items: await Promise.all(items.map((entry) => this.present(entry))), total, limit, offset };
  }

  @Delete(':resource/:public_id')
  @HttpCode(204)
  @RequireCapability('jobs:create')
  @ApiOperation({
    summary: 'Take an entry out of your catalogue for good',
    description:
      'The entry is no longer listed, and a new dispatch that names it is refused with 410. Its picture stays, and so do ' +
      'the pictures made with it. Jobs dispatched before still render. A repeated call also gives 204. Free.',
  })
  @DescribeResource()
  @DescribePublicId('catalogue entry')
  @DescribeWrite(204, undefined, 'Retired.')
  @DescribeErrors(401, 403, 404, 413, 422)
  async retireCatalogEntry(
    @CurrentCaller() caller: Caller,
    @Param('resource') name: string,
    @PublicId('catalogue entry') entryId: string,
    @EmptyBody() _body: undefined,
    @Req() { id }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const context = callerContext(caller, id, id, this.clock());
    const command = new RetireCatalogEntry(context, entryId, 'retired by the caller', resourceNamed(name));
    const retired = await this.commands.execute(command);
    if (retired.kind === 'rejected') throw notFound('catalogue entry');
    tellWrite(this.consistency, caller, retired.position, reply);
  }

  private async present(entry: CatalogEntry): Promise<CatalogEntryResponse> {
    const { assetId, kind, label, storageKey, width, height, attributes, jobId, createdAt } = entry;
    return {
      public_id: assetId,
      kind,
      label,
      ...(await this.pictures.shown(storageKey)),
      width,
      height,
      attributes: shownMeta(attributes),
      job_id: jobId,
      created_at: createdAt.toISOString(),
    };
  }
}
