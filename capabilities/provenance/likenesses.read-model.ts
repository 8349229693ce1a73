import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ReadModel } from '#read-store/read-model.js';
import { chunksOf, isLikeness, type Chunk } from './likeness.value.js';

/** The perceptual hash of a job's final picture. The row goes when the picture is erased. */
@Entity('likenesses')
@Index('likenesses_by_chunk', ['chunks'], { type: 'gin' })
export class LikenessRow {
  @PrimaryColumn({ type: 'text' })
  assetId: string;

  @Column({ type: 'text' })
  tenant: string;

  @Column({ type: 'jsonb' })
  chunks: Chunk[];
}

export const likenessesReadModel: ReadModel<LikenessRow> = {
  name: 'likenesses',
  version: 1,
  entity: LikenessRow,
  categories: ['asset'],
  keysOf: (event) => [[event.streamId]],
  evolve: (row, event) => {
    if (event.type === 'PictureErased') return undefined;
    if (event.type !== 'AssetStored') return row;
    const { assetId, tenant, likeness = '' } = event.data;
    return isLikeness(likeness) ? { assetId, tenant, chunks: chunksOf(likeness) } : row;
  },
};
