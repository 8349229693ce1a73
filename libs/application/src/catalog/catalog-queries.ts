import { Injectable } from '@nestjs/common';
import type { CatalogResource } from '#domain/catalog/catalog.js';
import type { PresetKind } from '#domain/preset/preset.events.js';
import type { Environment } from '#domain/streams.js';
import type { Caller } from '../command-context.js';
import { ReadYourWrites, type Fresh } from '../consistency/read-your-writes.js';
import {
  ReadModels,
  type CatalogEntry,
  type Page,
  type PageRequest,
  type PresetTile,
  type RenderView,
} from '../read-models.js';

/** A caller's catalogue and renders, and the presets of its environment. */
@Injectable()
export class CatalogQueries {
  constructor(
    private readonly reads: ReadModels,
    private readonly consistency: ReadYourWrites,
  ) {}

  entries(
    caller: Caller,
    resource: CatalogResource,
    page: PageRequest,
    token?: bigint,
  ): Promise<Fresh<Page<CatalogEntry>>> {
    return this.consistency.read(caller, 'catalog', token, () =>
      this.reads.of(caller.environment).catalog.list(caller.tenant, resource, page),
    );
  }

  /** Presets belong to the installation, and callers do not write them, so there is no write to wait for. */
  presets(environment: Environment, kind: PresetKind): Promise<readonly PresetTile[]> {
    return this.reads.of(environment).presets.published(kind);
  }

  renders(caller: Caller, page: PageRequest, token?: bigint): Promise<Fresh<Page<RenderView>>> {
    return this.consistency.read(caller, 'renders', token, () =>
      this.reads.of(caller.environment).renders.list(caller.tenant, page),
    );
  }

  async render(caller: Caller, publicId: string, token?: bigint): Promise<RenderView | undefined> {
    const found = await this.consistency.read(caller, 'renders', token, () =>
      this.reads.of(caller.environment).renders.find(caller.tenant, publicId),
    );
    return found.value;
  }
}
