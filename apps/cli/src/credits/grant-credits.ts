import { grantCredits } from '#application/account/tenants.js';
import type { PurchaseKind } from '#domain/account/account.events.js';
import type { AccountRejection } from '#domain/account/manage-account.js';
import type { Environment } from '#domain/streams.js';
import { CliError } from '../cli-error.js';
import { Operator } from '../operator.js';
import { printJson, printLine } from '../output.js';
import type { OutputOptions } from '../verb.js';

export interface GrantOptions extends OutputOptions {
  readonly tenant: string;
  readonly env: Environment;
  readonly amount: number;
  readonly kind: PurchaseKind;
  readonly label: string;
}

export async function grant({ tenant, env, amount, kind, label, json }: GrantOptions): Promise<void> {
  await using operator = Operator.connect();
  await operator.account(env, tenant);
  const context = operator.context(env, tenant);
  const granted = await grantCredits(operator.accounts, context, { amount, kind, label });
  if (granted.kind === 'rejected') throw new CliError(explain(granted.rejection));
  await operator.caughtUp(env, 'ledger', granted.position);

  const { balance } = await operator.account(env, tenant);
  if (json) printJson({ tenant_id: tenant, env, kind, label, amount, balance });
  else printLine(`${amount} credits granted to ${tenant} in ${env}; the balance is now ${balance}.`);
}

function explain(rejection: AccountRejection): string {
  return 'message' in rejection ? rejection.message : `the credits could not be granted: ${rejection.code}`;
}
