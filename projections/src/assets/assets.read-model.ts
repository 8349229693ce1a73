import type { ProjectedEvent } from '#read-store/projected-event.js';
import { foldRow, type ReadModel } from '#read-store/read-model.js';
import { AssetRow } from './assets.entity.js';

export const assetsReadModel: ReadModel<AssetRow> = {
  name: 'assets',
  version: 1,
  entity: AssetRow,
  categories: ['asset'],
  keyOf: (event) => [event.streamId],
  evolve: (_row, event) => {
    if (event.type !== 'AssetStored') throw new Error(`${event.type} does not belong in ${event.stream}`);
    const { at, ...asset } = event.data;
    return { ...asset, createdAt: new Date(at) };
  },
};

/** The row that an asset's own stream gives, or undefined when there is no such asset. */
export function foldAssetRow(events: readonly ProjectedEvent[]): AssetRow | undefined {
  return foldRow(assetsReadModel, events);
}
