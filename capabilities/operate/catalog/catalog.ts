import { RetireCatalogEntry } from '#application/catalog/retire-entry.handler.js';
import { CatalogCareModule } from '#application/catalog/catalog-care.module.js';
import { CatalogReader } from '#projections/readers.js';
import { IdField, TextField } from '#validation/fields.js';
import { defineCall } from '#operator-calls/call.js';
import { OfAccount } from '#operator-calls/input.js';
import { printLine, printTable } from '#operator-calls/output.js';
import { CallRefused } from '#operator-calls/call-refused.js';

/** Lists retired ones too, newest first. */
export const listCatalog = defineCall({
  name: 'catalog list',
  route: 'GET /tenants/:tenant/catalog',
  may: ['read'],
  summary: "Every entry of a tenant's catalogue, retired ones included",
  input: OfAccount,
  async run(operator, { tenant, env }) {
    await operator.account(env, tenant);
    const rows = await new CatalogReader(await operator.readModels(env)).all(tenant);
    const entries = rows.map(({ assetId, resource, kind, label, jobId, createdAt, retiredAt }) => ({
      id: assetId,
      resource,
      kind,
      label,
      status: retiredAt ? ('retired' as const) : ('listed' as const),
      job_id: jobId,
      created_at: createdAt,
      retired_at: retiredAt,
    }));
    return { entries };
  },
  print: ({ entries }) =>
    printTable(entries, {
      entry: (entry) => entry.id,
      resource: (entry) => entry.resource,
      kind: (entry) => entry.kind,
      label: (entry) => entry.label,
      status: (entry) => entry.status,
      created: (entry) => entry.created_at,
      retired: (entry) => entry.retired_at,
    }),
});

class RetiredEntry extends OfAccount {
  @IdField({ description: 'The entry, as `catalog list` shows it.', required: true })
  id: string;

  @TextField({ description: 'Why, for the record.', min: 1, max: 200 })
  reason: string = 'retired by the operator';
}

export const retireCatalogEntry = defineCall({
  name: 'catalog retire',
  route: 'POST /tenants/:tenant/catalog/:id/retire',
  may: ['support'],
  summary: 'Take an entry out of the catalogue; jobs that were queued with it still render',
  input: RetiredEntry,
  features: [CatalogCareModule],
  async run(operator, { id: entry, tenant, env, reason }) {
    const context = operator.context(env, tenant);
    const done = await operator.execute(new RetireCatalogEntry(context, entry, reason));
    if (done.kind === 'rejected')
      throw new CallRefused(
        `${tenant} has no catalogue entry ${entry} in ${env}: "atelier catalog list" shows the entries`,
        'RESOURCE_NOT_FOUND',
      );
    await operator.caughtUp(env, 'catalog', done.position);
    return { id: entry, retired_at: done.state?.retiredAt };
  },
  print: ({ id }) =>
    printLine(`Entry ${id} is retired: it is no longer listed, and new dispatches cannot use it.`),
});
