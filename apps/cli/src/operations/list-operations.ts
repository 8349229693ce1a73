import { Operations, type OperationView } from '#application/operation/operations.js';
import { environments, type Environment } from '#domain/streams.js';
import { Operator } from '../operator.js';
import { printJson, printTable } from '../output.js';
import type { OutputOptions } from '../verb.js';

export interface ListOperationsOptions extends OutputOptions {
  readonly env?: Environment;
}

export async function listOperations({ env, json }: ListOperationsOptions): Promise<void> {
  await using operator = Operator.connect();
  const current = new Operations(operator.store);
  const operations = [];
  for (const environment of env ? [env] : environments) {
    operations.push(...(await current.list(environment)).map((view) => describe(environment, view)));
  }
  if (json) printJson({ operations });
  else
    printTable(
      ['environment', 'name', 'class', 'credits', 'enabled'],
      operations.map((each) => [each.env, each.name, each.op_class, each.credits_cost, each.enabled]),
    );
}

function describe(env: Environment, { name, opClass, credits, enabled }: OperationView) {
  return { env, name, op_class: opClass, credits_cost: credits, enabled };
}
