import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { PresetKind } from '#domain/preset/preset.events.js';
import type { Environment } from '#domain/streams.js';

/** A preset as a caller chooses it. */
export interface PresetTile {
  readonly presetId: string;
  readonly label: string;
  /** Of the preview. */
  readonly storageKey: string;
}

/** The presets of one environment. */
export abstract class PresetReads {
  /** Those that can be chosen. */
  abstract published(kind: PresetKind): Promise<readonly PresetTile[]>;
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
  constructor(private readonly presets: Readonly<Record<Environment, PresetReads>>) {}

  execute({ environment, kind }: ListPresets): Promise<readonly PresetTile[]> {
    return this.presets[environment].published(kind);
  }
}
