import { time, type RowModel } from './row-model.js';
import { none } from './row-store.js';

/** One row a job that is unfinished, without a picture, or has succeeded, with its first final picture. */
export const renderRows: RowModel = {
  name: 'renders',
  categories: ['job'],
  tenantColumn: 'tenant',
  keyColumns: 1,
  columns: {
    public_id: 'text',
    tenant: 'text',
    job_type: 'text',
    label: 'text',
    kind: 'text',
    width: 'integer',
    height: 'integer',
    storage_key: 'text',
    asset_id: 'text',
    content_type: 'text',
    sha256: 'text',
    created_at: 'time',
  },
  fold(event, rows) {
    if (event.type === 'JobQueued') {
      const row = rows.open([event.streamId]);
      if (row === none) return;
      const { jobId: public_id, tenant, jobType: job_type } = event.data;
      rows.write(row, {
        ...{ public_id, tenant, job_type, label: null, kind: null, width: null, height: null },
        ...{ storage_key: null, asset_id: null, content_type: null, sha256: null, created_at: null },
      });
      return;
    }
    const row = rows.find([event.streamId]);
    if (row === none) return;
    if (event.type === 'JobFailed' || event.type === 'JobCancelled') return rows.remove(row);
    if (event.type !== 'JobSucceeded') return;
    const final = event.data.artifacts.find(({ role }) => role === 'final');
    if (!final) return rows.remove(row);
    rows.write(row, {
      label: final.label,
      kind: final.kind,
      width: final.width,
      height: final.height,
      storage_key: final.storageKey,
      asset_id: final.assetId,
      content_type: final.contentType,
      sha256: final.sha256,
      created_at: time(event.data.at),
    });
  },
};
