import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { CatalogResource } from '#domain/catalog/catalog.js';
import type { Caller } from '../command-context.js';
import { type Fresh, ReadYourWrites, ConsistencyModule } from '../consistency/read-your-writes.js';
import {
  type CatalogEntry,
  type Page,
  type PageRequest,
  ReadModels,
  type RenderView,
  type PresetTile,
} from '../read-models.js';
import type { PresetKind } from '#domain/preset/preset.events.js';
import type { Environment } from '#domain/streams.js';
import { Module } from '@nestjs/common';
import { PictureModule } from '../picture/store-picture.handler.js';
import { RetireCatalogEntryHandler } from './retire-entry.handler.js';
import { CheckCompatibilityHandler } from '../compatibility/check-compatibility.handler.js';

export class ListCatalog extends Query<Fresh<Page<CatalogEntry>>> {
  constructor(
    readonly caller: Caller,
    readonly resource: CatalogResource,
    readonly page: PageRequest,
    readonly token?: bigint,
  ) {
    super();
  }
}

@QueryHandler(ListCatalog)
export class ListCatalogHandler implements IQueryHandler<ListCatalog> {
  constructor(
    private readonly reads: ReadModels,
    private readonly consistency: ReadYourWrites,
  ) {}

  execute({ caller, resource, page, token }: ListCatalog): Promise<Fresh<Page<CatalogEntry>>> {
    return this.consistency.read(caller, 'catalog', token, () =>
      this.reads.of(caller.environment).catalog.list(caller.tenant, resource, page),
    );
  }
}

/** Presets are the installation's and no caller writes them, so there is no write to wait for. */
export class ListPresets extends Query<readonly PresetTile[]> {
  constructor(
    readonly environment: Environment,
    readonly kind: PresetKind,
  ) {
    super();
  }
}

@QueryHandler(ListPresets)
export class ListPresetsHandler implements IQueryHandler<ListPresets> {
  constructor(private readonly reads: ReadModels) {}

  execute({ environment, kind }: ListPresets): Promise<readonly PresetTile[]> {
    return this.reads.of(environment).presets.published(kind);
  }
}

export class ListRenders extends Query<Fresh<Page<RenderView>>> {
  constructor(
    readonly caller: Caller,
    readonly page: PageRequest,
    readonly token?: bigint,
  ) {
    super();
  }
}

export class GetRender extends Query<RenderView | undefined> {
  constructor(
    readonly caller: Caller,
    readonly publicId: string,
    readonly token?: bigint,
  ) {
    super();
  }
}

@QueryHandler(ListRenders)
export class ListRendersHandler implements IQueryHandler<ListRenders> {
  constructor(
    private readonly reads: ReadModels,
    private readonly consistency: ReadYourWrites,
  ) {}

  execute({ caller, page, token }: ListRenders): Promise<Fresh<Page<RenderView>>> {
    return this.consistency.read(caller, 'renders', token, () =>
      this.reads.of(caller.environment).renders.list(caller.tenant, page),
    );
  }
}

@QueryHandler(GetRender)
export class GetRenderHandler implements IQueryHandler<GetRender> {
  constructor(
    private readonly reads: ReadModels,
    private readonly consistency: ReadYourWrites,
  ) {}

  async execute({ caller, publicId, token }: GetRender): Promise<RenderView | undefined> {
    const found = await this.consistency.read(caller, 'renders', token, () =>
      this.reads.of(caller.environment).renders.find(caller.tenant, publicId),
    );
    return found.value;
  }
}

/** What a caller can choose from and look at, and of its catalogue take away: catalogue entries, presets, renders. */
@Module({
  imports: [ConsistencyModule, PictureModule],
  providers: [
    ListCatalogHandler,
    RetireCatalogEntryHandler,
    CheckCompatibilityHandler,
    ListPresetsHandler,
    ListRendersHandler,
    GetRenderHandler,
  ],
})
export class CatalogModule {}
