import { installation, type CommandContext } from '#application/command-context.js';
import {
  PriceOperation,
  SwitchOperation,
  OperationModule,
} from '#application/operation/manage-operations.handler.js';
import { Operations } from '#application/operation/operations.js';
import { workflowOf } from '#workflows/workflows.js';
import { Operator } from '../operator.js';
import { printJson, printTable } from '../output.js';
import { environmentsOf } from '../places.js';
import { CliError, type EnvironmentOptions } from '../verb.js';

export interface ChangeOperationOptions extends EnvironmentOptions {
  readonly reason: string;
}

export async function listAllOperations({ env, json }: EnvironmentOptions): Promise<void> {
  await using operator = await Operator.connect([OperationModule]);
  const current = operator.get(Operations);
  const operations = [];
  for (const environment of environmentsOf(env))
    for (const { name, opClass, credits, enabled } of await current.list(environment))
      operations.push({ env: environment, name, op_class: opClass, credits_cost: credits, enabled });
  if (json) return printJson({ operations });
  printTable(operations, {
    environment: (operation) => operation.env,
    name: (operation) => operation.name,
    class: (operation) => operation.op_class,
    credits: (operation) => operation.credits_cost,
    enabled: (operation) => operation.enabled,
  });
}

export async function setPrice(
  name: string,
  credits: number,
  options: ChangeOperationOptions,
): Promise<void> {
  const { batch } = workflowOf(name);
  if (batch) throw new CliError(`${name} costs what ${batch.workflow} costs, for each item: price that`);
  await change(name, options, async (operator, context) => {
    const price = { credits, reason: options.reason };
    const priced = await operator.execute(new PriceOperation(context, name, price));
    if (priced.kind === 'rejected') throw new CliError(priced.rejection.message);
  });
}

export const enable = switchTo(true);
export const disable = switchTo(false);

function switchTo(enabled: boolean) {
  return (name: string, options: ChangeOperationOptions) =>
    change(name, options, async (operator, context) => {
      await operator.execute(new SwitchOperation(context, name, { enabled, reason: options.reason }));
    });
}

/** Does it in each environment that is asked for, and tells what the operation is then. */
async function change(
  name: string,
  { env, json }: ChangeOperationOptions,
  execute: (operator: Operator, context: CommandContext) => Promise<void>,
): Promise<void> {
  await using operator = await Operator.connect([OperationModule]);
  const current = operator.get(Operations);
  const operations = [];
  for (const environment of environmentsOf(env)) {
    await execute(operator, operator.context(environment, installation));
    const { credits, enabled } = await current.termsOf(environment, name);
    operations.push({ env: environment, name, credits_cost: credits, enabled });
  }
  if (json) return printJson({ operations });
  printTable(operations, {
    environment: (operation) => operation.env,
    name: (operation) => operation.name,
    credits: (operation) => operation.credits_cost,
    enabled: (operation) => operation.enabled,
  });
}
