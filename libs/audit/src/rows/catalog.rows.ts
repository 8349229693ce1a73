import { time, type RowModel } from './row-model.js';
import { none } from './row-store.js';

/** What a picture can be a building block for, by the kind of artifact; other kinds are results and nothing more. */
const resourceOfKind: Readonly<Record<string, string>> = {
  model_portrait: 'models',
  model_full_body: 'models',
  person: 'models',
  background: 'backgrounds',
  background_plate: 'backgrounds',
  complementary_garment: 'garments',
  garment: 'garments',
  extracted_garment: 'garments',
  photography_recipe: 'shots',
};

/** One row a building block that a job made. The first job that shows it is the one that made it. */
export const catalogRows: RowModel = {
  name: 'catalog',
  categories: ['job'],
  tenantColumn: 'tenant',
  keyColumns: 1,
  columns: {
    asset_id: 'text',
    tenant: 'text',
    resource: 'text',
    kind: 'text',
    label: 'text',
    storage_key: 'text',
    width: 'integer',
    height: 'integer',
    attributes: 'json',
    job_id: 'text',
    created_at: 'time',
  },
  fold(event, rows) {
    if (event.type !== 'JobSucceeded') return;
    const { tenant, streamId: job_id } = event;
    const made = new Set<string>();
    // A picture that a job names twice is what it says of it last.
    for (const artifact of event.data.artifacts) {
      const { assetId: asset_id, kind, label, storageKey: storage_key, width, height, meta } = artifact;
      const resource = resourceOfKind[kind];
      if (resource === undefined || (rows.find([asset_id]) !== none && !made.has(asset_id))) continue;
      const row = rows.open([asset_id]);
      if (row === none) continue;
      made.add(asset_id);
      const facts = { kind, label, storage_key, width, height, attributes: meta };
      rows.write(row, { asset_id, tenant, resource, ...facts, job_id, created_at: time(event.data.at) });
    }
  },
};
