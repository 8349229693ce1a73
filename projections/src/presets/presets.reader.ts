import { IsNull, type DataSource } from 'typeorm';
import type { PresetReads } from '#application/read-models.js';
import type { PresetKind } from '#domain/preset/preset.events.js';
import { PresetRow } from './presets.read-model.js';

/** The presets of one environment. They are the same for all tenants. */
export class PresetsReader implements PresetReads {
  constructor(private readonly dataSource: DataSource) {}

  /** Those that can be chosen, in the order of their ids, which is that of the table they come from. */
  published(kind: PresetKind): Promise<PresetRow[]> {
    return this.presets.find({
      where: { kind, retiredAt: IsNull() },
      order: { presetId: 'ASC' },
    });
  }

  /** Retired ones included, by kind. */
  all(): Promise<PresetRow[]> {
    return this.presets.find({ order: { kind: 'ASC', presetId: 'ASC' } });
  }

  private get presets() {
    return this.dataSource.getRepository(PresetRow);
  }
}
