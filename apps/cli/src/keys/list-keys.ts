import { environments, type Environment } from '#domain/streams.js';
import { KeyRow } from '#projections/keys/keys.entity.js';
import { KeysReader } from '#projections/keys/keys.reader.js';
import { createDataSource } from '#read-store/data-source.js';
import { CliError } from '../cli-error.js';
import { Operator } from '../operator.js';
import { printJson, printTable } from '../output.js';
import type { OutputOptions } from '../verb.js';

export interface ListKeysOptions extends OutputOptions {
  readonly tenant: string;
  readonly env?: Environment;
}

export async function listKeys({ tenant, env, json }: ListKeysOptions): Promise<void> {
  await using operator = Operator.connect();
  await requireTenant(operator, tenant, env);
  const keys = [];
  for (const environment of env ? [env] : environments) {
    const rows = await read(operator.connections.databaseUrl, environment, tenant);
    keys.push(...rows.map((row) => describe(environment, row)));
  }
  if (json) {
    printJson({ tenant_id: tenant, keys });
    return;
  }
  printTable(
    ['key id', 'environment', 'capabilities', 'label', 'issued', 'revoked'],
    keys.map((key) => [
      key.key_id,
      key.env,
      key.capabilities.join(', '),
      key.label,
      key.issued_at.toISOString(),
      key.revoked_at?.toISOString(),
    ]),
  );
}

async function requireTenant(
  operator: Operator,
  tenant: string,
  env: Environment | undefined,
): Promise<void> {
  if (env) {
    await operator.account(env, tenant);
    return;
  }
  for (const environment of environments) {
    const { state } = await operator.accounts.read(environment, tenant);
    if (state.status !== 'unopened') return;
  }
  throw new CliError(`there is no tenant ${tenant}: "atelier tenants create" makes one and prints its id`);
}

async function read(url: string, schema: Environment, tenant: string): Promise<KeyRow[]> {
  const dataSource = createDataSource({ url, schema, entities: [KeyRow], poolSize: 1 });
  await dataSource.initialize();
  try {
    return await new KeysReader(dataSource).list(tenant);
  } finally {
    await dataSource.destroy();
  }
}

function describe(environment: Environment, { keyId, capabilities, label, issuedAt, revokedAt }: KeyRow) {
  return {
    key_id: keyId,
    env: environment,
    capabilities,
    label,
    status: revokedAt ? 'revoked' : 'active',
    issued_at: issuedAt,
    revoked_at: revokedAt,
  };
}
