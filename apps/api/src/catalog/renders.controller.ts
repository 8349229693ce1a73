import { Controller, Get, Res } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Caller } from '#application/command-context.js';
import type { RenderView } from '#application/read-models.js';
import { CatalogQueries } from '#application/catalog/catalog-queries.js';
import {
  pictureUrl,
  renderKey,
  ThumbnailsProperty,
  ThumbnailUrlsResponse,
} from '../uploads/thumbnail-urls.js';
import { ServedPictures } from '../uploads/served-pictures.js';
import { RequireCapability } from '../auth/api-key.guard.js';
import { CurrentCaller } from '../auth/caller.js';
import { DescribeErrors, DescribePublicId, DescribeRead, jobId, PageOf } from '../http/describe.js';
import { erased, notFound } from '../http/api-error.js';
import { ConsistencyToken, unwrap } from '../http/consistency-token.js';
import { Word } from '../http/vocabulary.js';
import { PublicId, PageQuery, ValidQuery } from '../http/valid-request.js';

export class RenderResponse {
  @ApiProperty({ description: 'The job that made it.', ...jobId })
  public_id: string;

  @ApiProperty({ example: 'PRODUCT_TO_MODEL_DIRECT' })
  job_type: string;

  @ApiProperty({ description: 'Short-lived presigned GET URL.', ...pictureUrl(renderKey) })
  image_url: string;

  @ThumbnailsProperty()
  thumbnails: ThumbnailUrlsResponse;

  @ApiProperty({ description: 'In pixels.', type: 'integer', minimum: 1, example: 1024 })
  width: number;

  @ApiProperty({ description: 'In pixels.', type: 'integer', minimum: 1, example: 1536 })
  height: number;

  @Word('ArtifactKind', { example: 'on_model_render' })
  kind: string;

  @ApiProperty({ example: 'On model' })
  label: string;

  @ApiProperty({ format: 'date-time', example: '2026-01-31T12:00:01.000Z' })
  created_at: string;
}

export class RenderListResponse extends PageOf(RenderResponse, { total: 'Renders in all.' }) {}

@ApiTags('renders')
@Controller('/v1/renders')
@RequireCapability('jobs:read')
export class RendersController {
  constructor(
    private readonly catalog: CatalogQueries,
    private readonly pictures: ServedPictures,
  ) {}

  @Get()
  @ApiOperation({ summary: 'The gallery of finished pictures, newest first, without erased ones' })
  @ApiQuery({ type: PageQuery })
  @DescribeRead(RenderListResponse)
  @DescribeErrors(401, 403, 422)
  async listRenders(
    @CurrentCaller() caller: Caller,
    @ValidQuery(PageQuery) { limit, offset }: PageQuery,
    @ConsistencyToken() token: bigint | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RenderListResponse> {
    const { items, total } = unwrap(await this.catalog.renders(caller, { limit, offset }, token), reply);
    return { items: await Promise.all(items.map((render) => this.present(render))), total, limit, offset };
  }

  @Get(':public_id')
  @ApiOperation({ summary: 'The finished picture of one job' })
  @DescribePublicId('render')
  @DescribeRead(RenderResponse)
  @DescribeErrors(401, 403, 404, '410 of a picture', 422)
  async getRender(
    @CurrentCaller() caller: Caller,
    @PublicId('render') publicId: string,
    @ConsistencyToken() token: bigint | undefined,
  ): Promise<RenderResponse> {
    const render = await this.catalog.render(caller, publicId, token);
    if (!render) throw notFound('render');
    if (render.erasedAt) throw erased('picture', render.erasedAt.toISOString());
    return this.present(render);
  }

  private async present(render: RenderView): Promise<RenderResponse> {
    const { publicId, jobType, width, height, kind, label, storageKey, createdAt } = render;
    return {
      public_id: publicId,
      job_type: jobType,
      ...(await this.pictures.shown(storageKey)),
      width,
      height,
      kind,
      label,
      created_at: createdAt.toISOString(),
    };
  }
}
