import { environments, type Environment } from '#domain/streams.js';
import { CliError } from '../cli-error.js';
import type { Operator } from '../operator.js';

/** The environments in which the tenant has an account, or the one that is asked for. @throws CliError without any */
export async function accountsOf(
  operator: Operator,
  tenant: string,
  env: Environment | undefined,
): Promise<Environment[]> {
  if (env) {
    await operator.account(env, tenant);
    return [env];
  }
  const found: Environment[] = [];
  for (const environment of environments) {
    const { state } = await operator.accounts.read(environment, tenant);
    if (state.status !== 'unopened') found.push(environment);
  }
  if (found.length > 0) return found;
  throw new CliError(`there is no tenant ${tenant}: "atelier tenants create" makes one and prints its id`);
}
