import { defineCall } from '#operator-calls/call.js';
import { OfAccount } from '#operator-calls/input.js';
import { printTable } from '#operator-calls/output.js';
import { TallyModule } from './tally.module.js';
import { TallyReader } from './tally.reader.js';

/** `atelier tally show`, and a route of the operators' API. */
export const showTally = defineCall({
  name: 'tally show',
  route: 'GET /tenants/:tenant/tally',
  may: ['read'],
  summary: 'How many jobs a tenant has ordered of each workflow',
  input: OfAccount,
  features: [TallyModule],
  async run(operator, { tenant, env }) {
    await operator.account(env, tenant);
    const items = await operator.get(TallyReader).of(env, tenant);
    return { tenant_id: tenant, items: items.map(({ workflow, jobs }) => ({ workflow, jobs })) };
  },
  print: ({ items }) => printTable(items, { workflow: (each) => each.workflow, jobs: (each) => each.jobs }),
});
