import type { ProjectedEvent } from '#read-store/projected-event.js';
import type { ReadModel } from '#read-store/read-model.js';
import { PresetRow } from './presets.entity.js';

export const presetsReadModel: ReadModel<PresetRow> = {
  name: 'presets',
  version: 1,
  entity: PresetRow,
  categories: ['preset'],
  keyOf: (event) => [event.streamId],
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
