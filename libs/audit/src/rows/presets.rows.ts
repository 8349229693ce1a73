import { time, type RowModel } from './row-model.js';
import { none } from './row-store.js';

/** One row a preset, of the installation and so of no tenant; publishing it again brings it back. */
export const presetRows: RowModel = {
  name: 'presets',
  categories: ['preset'],
  keyColumns: 1,
  columns: {
    preset_id: 'text',
    kind: 'text',
    label: 'text',
    storage_key: 'text',
    published_at: 'time',
    retired_at: 'time',
  },
  fold(event, rows) {
    if (event.type === 'PresetPublished') {
      const row = rows.open([event.streamId]);
      if (row === none) return;
      const { presetId: preset_id, kind, label, image, at } = event.data;
      const times = { published_at: time(at), retired_at: null };
      rows.write(row, { preset_id, kind, label, storage_key: image.storageKey, ...times });
    }
    if (event.type === 'PresetRetired') {
      const row = rows.find([event.streamId]);
      if (row !== none) rows.write(row, { retired_at: time(event.data.at) });
    }
  },
};
