import {
  installation,
  setOperationPrice,
  switchOperation,
} from '#application/operation/manage-operations.js';
import { Operations } from '#application/operation/operations.js';
import { environments, type Environment } from '#domain/streams.js';
import { workflowOf } from '#domain/workflow/workflows.js';
import { CliError } from '../cli-error.js';
import { Operator } from '../operator.js';
import { printJson, printTable } from '../output.js';
import type { OutputOptions } from '../verb.js';

export interface ChangeOperationOptions extends OutputOptions {
  readonly reason: string;
  readonly env?: Environment;
}

export async function price(name: string, credits: number, options: ChangeOperationOptions): Promise<void> {
  const { batch } = workflowOf(name);
  if (batch) throw new CliError(`${name} costs what ${batch.workflow} costs, for each item: price that`);
  await change(name, options, async (operator, environment) => {
    const { reason } = options;
    const context = operator.context(environment, installation);
    const priced = await setOperationPrice(operator.store, context, name, { credits, reason });
    if (priced.kind === 'rejected') throw new CliError(priced.rejection.message);
  });
}

export async function enable(name: string, enabled: boolean, options: ChangeOperationOptions): Promise<void> {
  await change(name, options, async (operator, environment) => {
    const { reason } = options;
    const context = operator.context(environment, installation);
    await switchOperation(operator.store, context, name, { enabled, reason });
  });
}

/** Does it in each environment that is asked for, and tells what the operation is then. */
async function change(
  name: string,
  { env, json }: ChangeOperationOptions,
  execute: (operator: Operator, environment: Environment) => Promise<void>,
): Promise<void> {
  await using operator = Operator.connect();
  const current = new Operations(operator.store);
  const operations = [];
  for (const environment of env ? [env] : environments) {
    await execute(operator, environment);
    const { credits, enabled } = await current.termsOf(environment, name);
    operations.push({ env: environment, name, credits_cost: credits, enabled });
  }
  if (json) printJson({ operations });
  else
    printTable(
      ['environment', 'name', 'credits', 'enabled'],
      operations.map((each) => [each.env, each.name, each.credits_cost, each.enabled]),
    );
}
