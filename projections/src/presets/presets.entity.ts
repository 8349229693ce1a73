import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { PresetKind } from '#domain/preset/preset.events.js';

/** A preset as callers choose it. Its recipe stays in the event. */
@Entity('presets')
@Index('presets_by_kind', ['kind', 'presetId'])
export class PresetRow {
  @PrimaryColumn({ type: 'text' })
  presetId: string;

  @Column({ type: 'text' })
  kind: PresetKind;

  @Column({ type: 'text' })
  label: string;

  /** Of the preview. */
  @Column({ type: 'text' })
  storageKey: string;

  /** As it is now: publishing it anew moves this. */
  @Column({ type: 'timestamptz' })
  publishedAt: Date;

  /** Null while it is listed. */
  @Column({ type: 'timestamptz', nullable: true })
  retiredAt: Date | null;
}
