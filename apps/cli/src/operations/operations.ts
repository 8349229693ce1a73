import { installation, type CommandContext } from '#application/command-context.js';
import {
  PriceOperation,
  SwitchOperation,
  OperationModule,
} from '#application/operation/manage-operations.handler.js';
import { Operations } from '#application/operation/operations.js';
import { workflowOf, workflows } from '#workflows/workflows.js';
import { ChoiceField, IntegerField, TextField } from '#validation/fields.js';
import { defineCall, InEnvironment } from '../call.js';
import type { Operator } from '../operator.js';
import { printTable } from '../output.js';
import { environmentsOf } from '../places.js';
import { mostCreditsAtOnce } from '../tenants/tenants.js';
import { CliError } from '../verb.js';

export const listAllOperations = defineCall({
  name: 'operations list',
  route: 'GET /operations',
  may: ['read'],
  summary: 'Every workflow as it is now',
  input: InEnvironment,
  features: [OperationModule],
  async run(operator, { env }) {
    const current = operator.get(Operations);
    const operations = [];
    for (const environment of environmentsOf(env))
      for (const { name, opClass, credits, enabled } of await current.list(environment))
        operations.push({ env: environment, name, op_class: opClass, credits_cost: credits, enabled });
    return { operations };
  },
  print: ({ operations }) =>
    printTable(operations, {
      environment: (operation) => operation.env,
      name: (operation) => operation.name,
      class: (operation) => operation.op_class,
      credits: (operation) => operation.credits_cost,
      enabled: (operation) => operation.enabled,
    }),
});

class OneOperation extends InEnvironment {
  @ChoiceField({
    ...{ description: 'Name of the workflow.', required: true },
    values: workflows.map((workflow) => workflow.name),
  })
  name: string;

  @TextField({ description: 'Why, for the record.', min: 1, max: 200, nullable: false })
  reason?: string;
}

class NewPrice extends OneOperation {
  @IntegerField({ description: 'What a dispatch costs.', min: 1, max: mostCreditsAtOnce, required: true })
  credits: number;
}

export const setPrice = defineCall({
  name: 'operations price',
  route: 'POST /operations/:name/price',
  may: ['finance'],
  summary: 'What a dispatch costs from now on; charges that were made stay what they are',
  input: NewPrice,
  features: [OperationModule],
  run(operator, { reason = 'priced by the operator', credits, ...input }) {
    const { batch } = workflowOf(input.name);
    if (batch)
      throw new CliError(`${input.name} costs what ${batch.workflow} costs, for each item: price that`);
    return change(operator, input, async (context) => {
      const priced = await operator.execute(new PriceOperation(context, input.name, { credits, reason }));
      if (priced.kind === 'rejected') throw new CliError(priced.rejection.message);
    });
  },
  print: printOperations,
});

export const enable = defineCall({
  name: 'operations enable',
  route: 'POST /operations/:name/enable',
  may: ['support'],
  summary: 'Let it be dispatched again',
  input: OneOperation,
  features: [OperationModule],
  run: (operator, { reason = 'enabled by the operator', ...input }) =>
    change(operator, input, async (context) => {
      await operator.execute(new SwitchOperation(context, input.name, { enabled: true, reason }));
    }),
  print: printOperations,
});

export const disable = defineCall({
  name: 'operations disable',
  route: 'POST /operations/:name/disable',
  may: ['support'],
  summary: 'Refuse its dispatches; jobs that are under way go on',
  input: OneOperation,
  features: [OperationModule],
  run: (operator, { reason = 'disabled by the operator', ...input }) =>
    change(operator, input, async (context) => {
      await operator.execute(new SwitchOperation(context, input.name, { enabled: false, reason }));
    }),
  print: printOperations,
});

/** Does it in each environment that is asked for, and tells what the operation is then. */
async function change(
  operator: Operator,
  { env, name }: Pick<OneOperation, 'env' | 'name'>,
  execute: (context: CommandContext) => Promise<void>,
) {
  const current = operator.get(Operations);
  const operations = [];
  for (const environment of environmentsOf(env)) {
    await execute(operator.context(environment, installation));
    const { credits, enabled } = await current.termsOf(environment, name);
    operations.push({ env: environment, name, credits_cost: credits, enabled });
  }
  return { operations };
}

function printOperations({ operations }: Awaited<ReturnType<typeof change>>): void {
  printTable(operations, {
    environment: (operation) => operation.env,
    name: (operation) => operation.name,
    credits: (operation) => operation.credits_cost,
    enabled: (operation) => operation.enabled,
  });
}
