import { Controller, Get, Param, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOperation, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Caller } from '#application/caller.js';
import { ListCatalog } from '#application/catalog/list-catalog.handler.js';
import type { CatalogEntry } from '#application/read-models.js';
import { catalogResources } from '#domain/catalog/catalog.js';
import { ObjectStorage } from '#storage/object-storage.js';
import { RequireCapability } from '../auth/api-key.guard.js';
import { CurrentCaller } from '../auth/caller.js';
import { DescribeErrors, DescribeRead } from '../docs/describe.js';
import { notFound } from '../errors/api-error.js';
import { ConsistencyToken } from '../http/consistency-token.js';
import { unwrap } from '../http/staleness.js';
import { PageQuery, ValidQuery } from '../validation/valid-request.js';
import { CatalogListResponse, type CatalogEntryResponse } from './catalog.dto.js';

@ApiTags('catalog')
@Controller('/v1/catalog')
@RequireCapability('jobs:read')
export class CatalogController {
  constructor(
    private readonly queries: QueryBus,
    private readonly storage: ObjectStorage,
  ) {}

  @Get(':resource')
  @ApiOperation({
    operationId: 'listCatalog',
    summary: 'Models, backgrounds, garments or shots that your jobs have made, newest first',
  })
  @ApiParam({
    name: 'resource',
    description: 'Anything else gives 404.',
    enum: catalogResources,
    enumName: 'CatalogResource',
    example: 'models',
  })
  @ApiQuery({ type: PageQuery })
  @DescribeRead(CatalogListResponse)
  @DescribeErrors(401, 403, 404, 422)
  async list(
    @CurrentCaller() caller: Caller,
    @Param('resource') name: string,
    @ValidQuery(PageQuery) { limit, offset }: PageQuery,
    @ConsistencyToken() token: bigint | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CatalogListResponse> {
    const resource = catalogResources.find((each) => each === name);
    if (!resource) throw notFound(`catalog resource: there are ${catalogResources.join(', ')}`);
    const query = new ListCatalog(caller, resource, { limit, offset }, token);
    const { items, total } = unwrap(await this.queries.execute(query), reply);
    return { items: await Promise.all(items.map((entry) => this.#present(entry))), total, limit, offset };
  }

  async #present(entry: CatalogEntry): Promise<CatalogEntryResponse> {
    const { assetId, kind, label, storageKey, width, height, attributes, jobId, createdAt } = entry;
    return {
      public_id: assetId,
      kind,
      label,
      image_url: await this.storage.presignGet(storageKey),
      width,
      height,
      attributes,
      job_id: jobId,
      created_at: createdAt.toISOString(),
    };
  }
}
