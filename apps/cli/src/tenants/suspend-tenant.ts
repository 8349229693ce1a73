import { reactivateTenant, suspendTenant } from '#application/account/tenants.js';
import type { Environment } from '#domain/streams.js';
import { Operator } from '../operator.js';
import { printJson, printLine } from '../output.js';
import type { OutputOptions } from '../verb.js';
import { accountsOf } from './accounts-of.js';

export interface SuspendOptions extends OutputOptions {
  readonly env?: Environment;
}

/** Suspending a suspended tenant changes nothing; the same goes for the reverse. */
export async function suspend(
  tenant: string,
  { reason, ...options }: SuspendOptions & { readonly reason: string },
): Promise<void> {
  await change(tenant, options, 'suspended', (operator, env) =>
    suspendTenant(operator.accounts, operator.context(env, tenant), reason),
  );
}

export async function reactivate(tenant: string, options: SuspendOptions): Promise<void> {
  await change(tenant, options, 'active', (operator, env) =>
    reactivateTenant(operator.accounts, operator.context(env, tenant)),
  );
}

async function change(
  tenant: string,
  { env, json }: SuspendOptions,
  status: 'active' | 'suspended',
  execute: (operator: Operator, env: Environment) => Promise<unknown>,
): Promise<void> {
  await using operator = Operator.connect();
  const found = await accountsOf(operator, tenant, env);
  for (const each of found) await execute(operator, each);
  if (json) printJson({ tenant_id: tenant, status, environments: found });
  else printLine(`Tenant ${tenant} is ${status} in ${found.join(' and ')}.`);
}
