import { time, type RowModel } from './row-model.js';
import { none } from './row-store.js';

/** One row a key, without its hash. */
export const keyRows: RowModel = {
  name: 'keys',
  categories: ['key'],
  tenantColumn: 'tenant',
  keyColumns: 1,
  columns: {
    key_id: 'text',
    tenant: 'text',
    capabilities: 'json',
    label: 'text',
    issued_at: 'time',
    revoked_at: 'time',
    retires_at: 'time',
  },
  fold(event, rows) {
    if (event.type === 'ApiKeyIssued') {
      const row = rows.open([event.streamId]);
      if (row === none) return;
      const { keyId: key_id, tenant, capabilities, label, at } = event.data;
      const times = { issued_at: time(at), revoked_at: null, retires_at: null };
      rows.write(row, { key_id, tenant, capabilities, label, ...times });
      return;
    }
    const row = rows.find([event.streamId]);
    if (row === none) return;
    if (event.type === 'ApiKeyRetired') rows.write(row, { retires_at: time(event.data.retiresAt) });
    if (event.type === 'ApiKeyRevoked') rows.write(row, { revoked_at: time(event.data.at) });
  },
};
