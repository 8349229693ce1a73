import { IsNull, type DataSource } from 'typeorm';
import type { PresetKind } from '#domain/preset/preset.events.js';
import { PresetRow } from './presets.entity.js';

/** The presets of one environment. They are the same for all tenants. */
export class PresetsReader {
  constructor(private readonly dataSource: DataSource) {}

  /** Those that can be chosen, by label. */
  published(kind: PresetKind): Promise<PresetRow[]> {
    return this.presets.find({
      where: { kind, retiredAt: IsNull() },
      order: { label: 'ASC', presetId: 'ASC' },
    });
  }

  /** Retired ones included, by kind and label. */
  all(): Promise<PresetRow[]> {
    return this.presets.find({ order: { kind: 'ASC', label: 'ASC', presetId: 'ASC' } });
  }

  private get presets() {
    return this.dataSource.getRepository(PresetRow);
  }
}
