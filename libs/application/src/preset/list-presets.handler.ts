import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { PresetKind } from '#domain/preset/preset.events.js';
import type { Environment } from '#domain/streams.js';
import { type PresetTile, ReadModels } from '#application/read-models.js';

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
