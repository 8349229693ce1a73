import { installation, type CommandContext } from '#application/command-context.js';
import {
  PriceOperation,
  SchedulePrice,
  SwitchOperation,
} from '#application/operation/manage-operations.handler.js';
import { OperationModule } from '#application/operation/operation.module.js';
import { Operations, type OperationTerms } from '#application/operation/operations.js';
import { systemClock } from '#platform/clock.js';
import { workflowOf, workflows } from '#workflows/workflows.js';
import { ChoiceField, IntegerField, TextField } from '#validation/fields.js';
import { defineCall, type AsJson } from '#operator-calls/call.js';
import { InEnvironment, environmentsOf, timeOf } from '#operator-calls/input.js';
import type { Operator } from '#operator-calls/operator.js';
import { printTable } from '#operator-calls/output.js';
import { mostCreditsAtOnce } from '../tenants/tenants.js';
import { CallRefused } from '#operator-calls/call-refused.js';

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
      for (const { name, opClass, ...terms } of await current.list(environment))
        operations.push({ env: environment, name, op_class: opClass, ...describeTerms(terms) });
    return { operations };
  },
  print: ({ operations }) =>
    printTable(operations, {
      environment: (operation) => operation.env,
      name: (operation) => operation.name,
      class: (operation) => operation.op_class,
      credits: (operation) => operation.credits_cost,
      enabled: (operation) => operation.enabled,
      scheduled: ({ scheduled }) =>
        scheduled.map(({ credits_cost, from }) => `${credits_cost} from ${from}`).join(', '),
    }),
});

/** Lists only scheduled prices that do not apply yet. */
function describeTerms({ credits, enabled, scheduled }: OperationTerms) {
  const now = systemClock().toISOString();
  const coming = scheduled.filter(({ from }) => from > now);
  return {
    credits_cost: credits,
    enabled,
    scheduled: coming.map(({ credits: price, from }) => ({ credits_cost: price, from })),
  };
}

class OneOperation extends InEnvironment {
  @ChoiceField({
    description: 'Name of the workflow.',
    required: true,
    values: workflows.map((workflow) => workflow.name),
  })
  name: string;

  @TextField({ description: 'Why, for the record.', min: 1, max: 200 })
  reason?: string;
}

class NewPrice extends OneOperation {
  @IntegerField({ description: 'The price of a dispatch.', min: 1, max: mostCreditsAtOnce, required: true })
  credits: number;

  @TextField({ description: 'The time from which it applies. Default: now.', min: 1, max: 40 })
  from?: string;
}

class WithdrawnPrice extends OneOperation {
  @TextField({ description: 'The time that it was scheduled for.', min: 1, max: 40, required: true })
  from: string;
}

export const setPrice = defineCall({
  name: 'operations price',
  route: 'POST /operations/:name/price',
  may: ['finance'],
  summary: 'Set the price of a dispatch, from now on or from a later time; earlier charges stay as they are',
  input: NewPrice,
  typed: { name: 'argument', credits: 'argument' },
  features: [OperationModule],
  run(operator, { reason = 'priced by the operator', credits, from, ...input }) {
    requireOwnPrice(input.name);
    const begin = from === undefined ? undefined : new Date(timeOf('--from', from));
    return change(operator, input, async (context) => {
      const priced = await operator.execute(
        begin === undefined
          ? new PriceOperation(context, input.name, { credits, reason })
          : new SchedulePrice(context, input.name, { credits, from: begin, reason }),
      );
      if (priced.kind === 'rejected') throw new CallRefused(priced.rejection.message);
    });
  },
  print: printOperations,
});

export const withdrawPrice = defineCall({
  name: 'operations withdraw-price',
  route: 'POST /operations/:name/withdraw-price',
  may: ['finance'],
  summary: 'Withdraw a price that is scheduled for a later time',
  input: WithdrawnPrice,
  features: [OperationModule],
  run(operator, { reason = 'withdrawn by the operator', from, ...input }) {
    requireOwnPrice(input.name);
    const price = { credits: null, from: new Date(timeOf('--from', from)), reason };
    return change(operator, input, async (context) => {
      const withdrawn = await operator.execute(new SchedulePrice(context, input.name, price));
      if (withdrawn.kind === 'rejected') throw new CallRefused(withdrawn.rejection.message);
    });
  },
  print: printOperations,
});

/** @throws CallRefused for a batch, which has no price of its own */
function requireOwnPrice(name: string): void {
  const { batch } = workflowOf(name);
  if (batch)
    throw new CallRefused(`each item of ${name} costs the price of ${batch.workflow}: set that price`);
}

export const enable = defineCall({
  name: 'operations enable',
  route: 'POST /operations/:name/enable',
  may: ['support'],
  summary: 'Accept dispatches of a workflow again',
  input: OneOperation,
  features: [OperationModule],
  run: (operator, { reason = 'enabled by the operator', ...input }) =>
    switchTo(operator, input, { enabled: true, reason }),
  print: printOperations,
});

export const disable = defineCall({
  name: 'operations disable',
  route: 'POST /operations/:name/disable',
  may: ['support'],
  summary: 'Refuse dispatches of a workflow; jobs that are under way continue',
  input: OneOperation,
  features: [OperationModule],
  run: (operator, { reason = 'disabled by the operator', ...input }) =>
    switchTo(operator, input, { enabled: false, reason }),
  print: printOperations,
});

const switchTo = (operator: Operator, input: OneOperation, to: { enabled: boolean; reason: string }) =>
  change(operator, input, (context) => operator.execute(new SwitchOperation(context, input.name, to)));

/** Makes the change in each chosen environment, and returns the operation's terms after it. */
async function change(
  operator: Operator,
  { env, name }: Pick<OneOperation, 'env' | 'name'>,
  execute: (context: CommandContext) => Promise<unknown>,
) {
  const current = operator.get(Operations);
  const operations = [];
  for (const environment of environmentsOf(env)) {
    await execute(operator.context(environment, installation));
    operations.push({ env: environment, name, ...describeTerms(await current.termsOf(environment, name)) });
  }
  return { operations };
}

function printOperations({ operations }: AsJson<Awaited<ReturnType<typeof change>>>): void {
  printTable(operations, {
    environment: (operation) => operation.env,
    name: (operation) => operation.name,
    credits: (operation) => operation.credits_cost,
    enabled: (operation) => operation.enabled,
    scheduled: ({ scheduled }) =>
      scheduled.map(({ credits_cost, from }) => `${credits_cost} from ${from}`).join(', '),
  });
}
