import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { PresetKind } from '#domain/preset/preset.events.js';
import type { ProjectedEvent } from '#read-store/projected-event.js';
import type { ReadModel } from '#read-store/read-model.js';

/** A preset as callers see it. Only the event has its recipe. */
@Entity('presets')
@Index('presets_by_kind', ['kind', 'presetId'])
export class PresetRow {
  @PrimaryColumn({ type: 'text' })
  presetId: string;

  @Column({ type: 'text' })
  kind: PresetKind;

  @Column({ type: 'text' })
  label: string;

  /** The preview's storage key. */
  @Column({ type: 'text' })
  storageKey: string;

  /** Publishing the preset again changes this. */
  @Column({ type: 'timestamptz' })
  publishedAt: Date;

  /** Null while it is listed. */
  @Column({ type: 'timestamptz', nullable: true })
  retiredAt: Date | null;
}

export const presetsReadModel: ReadModel<PresetRow> = {
  name: 'presets',
  version: 1,
  entity: PresetRow,
  categories: ['preset'],
  keysOf: (event) => [[event.streamId]],
  evolve,
};

function evolve(row: PresetRow | undefined, event: ProjectedEvent): PresetRow | undefined {
  switch (event.type) {
    case 'PresetPublished': {
      const { presetId, kind, label, image, at } = event.data;
      const publishedAt = new Date(at);
      return { presetId, kind, label, storageKey: image.storageKey, publishedAt, retiredAt: null };
    }
    case 'PresetRetired':
      if (!row) throw new Error(`PresetRetired came before PresetPublished in ${event.stream}`);
      return { ...row, retiredAt: new Date(event.data.at) };
    default:
      throw new Error(`${event.type} does not belong in ${event.stream}`);
  }
}
