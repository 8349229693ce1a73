import { time, type RowModel } from './row-model.js';
import { none } from './row-store.js';

/** One row a picture that was stored. */
export const assetRows: RowModel = {
  name: 'assets',
  categories: ['asset'],
  tenantColumn: 'tenant',
  keyColumns: 1,
  columns: {
    asset_id: 'text',
    tenant: 'text',
    storage_key: 'text',
    content_type: 'text',
    width: 'integer',
    height: 'integer',
    size_bytes: 'integer',
    sha256: 'text',
    origin: 'text',
    job_id: 'text',
    created_at: 'time',
  },
  fold(event, rows) {
    if (event.type !== 'AssetStored') return;
    const row = rows.open([event.streamId]);
    if (row === none) return;
    const { data } = event;
    rows.write(row, {
      asset_id: data.assetId,
      tenant: data.tenant,
      storage_key: data.storageKey,
      content_type: data.contentType,
      width: data.width,
      height: data.height,
      size_bytes: data.sizeBytes,
      sha256: data.sha256,
      origin: data.origin,
      job_id: data.jobId,
      created_at: time(data.at),
    });
  },
};
