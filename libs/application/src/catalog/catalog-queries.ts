import { Injectable } from '@nestjs/common';
import type { CatalogResource } from '#domain/catalog/catalog.js';
import { categoryById } from '#domain/garment/garment-categories.js';
import type { PresetKind } from '#domain/preset/preset.events.js';
import type { Environment } from '#domain/streams.js';
import type { Caller } from '../command-context.js';
import { verdictOn, type CandidateVerdict } from '../compatibility/garment-compatibility.js';
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

  /**
   * Which of a caller's garments may be shown with a product.
   * @param candidates in the caller's order; the verdicts keep it
   * @returns undefined if there is no such category
   */
  async garmentVerdicts(
    caller: Caller,
    productCategoryId: string,
    candidates: readonly string[],
    token?: bigint,
  ): Promise<Fresh<readonly CandidateVerdict[]> | undefined> {
    const product = categoryById(productCategoryId);
    if (!product) return undefined;
    const { catalog } = this.reads.of(caller.environment);
    return this.consistency.read(caller, 'catalog', token, async () => {
      const entries = await catalog.find(caller.tenant, 'garments', [...new Set(candidates)]);
      const attributes = new Map(entries.map((entry) => [entry.assetId, entry.attributes]));
      return candidates.map((candidate) => verdictOn(candidate, product, attributes.get(candidate)));
    });
  }
}
