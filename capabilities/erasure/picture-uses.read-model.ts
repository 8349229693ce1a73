import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ReadModel } from '#read-store/read-model.js';

/** A job that was ordered with a picture: its pictures were made from it. */
@Entity('picture_uses')
export class PictureUseRow {
  @PrimaryColumn({ type: 'text' })
  assetId: string;

  @PrimaryColumn({ type: 'text' })
  jobId: string;

  @Column({ type: 'text' })
  tenant: string;
}

export const pictureUses = 'picture_uses';

export const pictureUsesReadModel: ReadModel<PictureUseRow> = {
  name: pictureUses,
  version: 1,
  entity: PictureUseRow,
  categories: ['job'],
  rowPerEvent: true,
  keysOf: (event) => {
    if (event.type !== 'JobQueued') return [];
    const assetIds = new Set(event.data.inputs.map(({ assetId }) => assetId));
    return [...assetIds].map((assetId) => [assetId, event.streamId]);
  },
  evolve: (_row, { metadata: { tenant } }, [assetId, jobId]) => ({
    assetId: String(assetId),
    jobId: String(jobId),
    tenant,
  }),
};
