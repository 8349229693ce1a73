import { environments, type Environment } from '#domain/streams.js';
import { KeyRow } from '#projections/keys/keys.read-model.js';
import { KeysReader } from '#projections/keys/keys.reader.js';
import { systemClock } from '#platform/clock.js';
import { createDataSource } from '#read-store/data-source.js';
import { Operator } from '../operator.js';
import { printJson, printTable } from '../output.js';
import { accountsOf } from '../tenants/accounts-of.js';
import type { OutputOptions } from '../verb.js';

export interface ListKeysOptions extends OutputOptions {
  readonly tenant: string;
  readonly env?: Environment;
}

export async function listKeys({ tenant, env, json }: ListKeysOptions): Promise<void> {
  await using operator = Operator.connect();
  await accountsOf(operator, tenant, env);
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
    ['key id', 'environment', 'capabilities', 'label', 'status', 'issued', 'retires', 'revoked'],
    keys.map((key) => [
      key.key_id,
      key.env,
      key.capabilities.join(', '),
      key.label,
      key.status,
      key.issued_at.toISOString(),
      key.retires_at?.toISOString(),
      key.revoked_at?.toISOString(),
    ]),
  );
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

function describe(environment: Environment, row: KeyRow) {
  const { keyId, capabilities, label, issuedAt, retiresAt, revokedAt } = row;
  return {
    key_id: keyId,
    env: environment,
    capabilities,
    label,
    status: statusOf(row),
    issued_at: issuedAt,
    retires_at: retiresAt,
    revoked_at: revokedAt,
  };
}

function statusOf({ retiresAt, revokedAt }: KeyRow): 'active' | 'retiring' | 'retired' | 'revoked' {
  if (revokedAt) return 'revoked';
  if (!retiresAt) return 'active';
  return retiresAt > systemClock() ? 'retiring' : 'retired';
}
