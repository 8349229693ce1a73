import { CatalogCareModule, RetireCatalogEntry } from '#application/catalog/retire-entry.handler.js';
import { CatalogReader } from '#projections/readers.js';
import { Operator } from './operator.js';
import { printJson, printLine, printTable } from './output.js';
import type { Environment } from '#domain/streams.js';
import { CliError, type OutputOptions } from './verb.js';

interface CatalogOptions extends OutputOptions {
  readonly tenant: string;
  readonly env: Environment;
}

/** Retired ones included, newest first. */
export async function listCatalog({ tenant, env, json }: CatalogOptions): Promise<void> {
  await using operator = await Operator.connect();
  await operator.account(env, tenant);
  const rows = await new CatalogReader(await operator.readModels(env)).all(tenant);
  const entries = rows.map(({ assetId, resource, kind, label, jobId, createdAt, retiredAt }) => ({
    ...{ id: assetId, resource, kind, label, status: retiredAt ? 'retired' : 'listed', job_id: jobId },
    ...{ created_at: createdAt, retired_at: retiredAt },
  }));
  if (json) return printJson({ entries });
  printTable(entries, {
    entry: (entry) => entry.id,
    resource: (entry) => entry.resource,
    kind: (entry) => entry.kind,
    label: (entry) => entry.label,
    status: (entry) => entry.status,
    created: (entry) => entry.created_at.toISOString(),
    retired: (entry) => entry.retired_at?.toISOString(),
  });
}

export async function retireEntry(
  id: string,
  { tenant, env, reason, json }: CatalogOptions & { readonly reason: string },
): Promise<void> {
  await using operator = await Operator.connect([CatalogCareModule]);
  const context = operator.context(env, tenant);
  const done = await operator.execute(new RetireCatalogEntry(context, id, reason));
  if (done.kind === 'rejected')
    throw new CliError(
      `${tenant} has no catalogue entry ${id} in ${env}: "atelier catalog list" shows those that there are`,
    );
  await operator.caughtUp(env, 'catalog', done.position);
  if (json) printJson({ id, retired_at: done.state?.retiredAt });
  else printLine(`The entry ${id} is retired: it is not listed, and refused in new dispatches.`);
}
