import { ObjectStorageModule } from '#adapters/object-storage.module.js';
import { ReactivateAccount, SuspendAccount } from '#application/account/manage-accounts.handler.js';
import { ErasableThings } from '#application/erasure/erasable-things.js';
import { CallRefused } from '#operator-calls/call-refused.js';
import { defineCall } from '#operator-calls/call.js';
import { environmentsOf, InEnvironment, OfAccount } from '#operator-calls/input.js';
import type { Operator } from '#operator-calls/operator.js';
import { printLine, printTable } from '#operator-calls/output.js';
import { ObjectStorage } from '#storage/object-storage.js';
import { IntegerField } from '#validation/fields.js';
import { PersonArchive } from '../person-archive.js';
import {
  approveClosing,
  cancelClosing,
  proposeClosing,
  type Closing,
  type ClosingRejection,
} from './closing.js';
import { ClosingRow } from './closings.read-model.js';
import { Closings } from './closings.handler.js';
import { thingsOfTenant } from './tenant-things.js';

class NewClosing extends OfAccount {
  @IntegerField({
    description: 'Days between the approval and the erasing. Absent: ATELIER_CLOSING_NOTICE_DAYS.',
    min: 0,
    max: 365,
  })
  notice_days?: number;
}

/** Only proposed: another operator approves it, and the notice period begins. */
export const closeTenant = defineCall({
  name: 'tenants close',
  route: 'POST /tenants/:tenant/closing',
  may: ['finance'],
  summary: 'Propose to erase all that a tenant has in an environment, after a notice period',
  input: NewClosing,
  async run(operator, { tenant, env, notice_days }) {
    await operator.account(env, tenant);
    const { closingNoticeDays } = operator.configuration.erasure;
    const { name: by } = operator;
    return decide(operator, { tenant, env }, (state, at) =>
      proposeClosing({ tenant, noticeDays: notice_days ?? closingNoticeDays, by, at }, state),
    );
  },
  print: printClosing,
});

export const approveTenantClosing = defineCall({
  name: 'tenants approve-closing',
  route: 'POST /tenants/:tenant/closing/approve',
  may: ['finance'],
  summary: 'Approve the closing that another operator has proposed: dispatches are refused from now on',
  input: OfAccount,
  async run(operator, { tenant, env }) {
    const suspended = (await operator.account(env, tenant)).status === 'suspended';
    const { name: by } = operator;
    const closing = await decide(operator, { tenant, env }, (state, at) =>
      approveClosing({ by, suspended, at }, state),
    );
    const reason = 'The tenant is being closed.';
    if (closing.status === 'notice')
      await operator.execute(new SuspendAccount(operator.context(env, tenant), { reason }));
    return closing;
  },
  print: printClosing,
});

export const keepTenant = defineCall({
  name: 'tenants cancel-closing',
  route: 'POST /tenants/:tenant/closing/cancel',
  may: ['finance'],
  summary: 'Decline or cancel a closing until its notice period is over: the tenant goes on as before',
  input: OfAccount,
  async run(operator, { tenant, env }) {
    await operator.account(env, tenant);
    const before = await new Closings(operator.store).find(env, tenant);
    const closing = await decide(operator, { tenant, env }, (state, at) =>
      cancelClosing({ by: operator.name, at }, state),
    );
    if (before.status === 'notice' && !before.approved.suspended)
      await operator.execute(new ReactivateAccount(operator.context(env, tenant)));
    return closing;
  },
  print: printClosing,
});

type Decide = (state: Closing, at: string) => ReturnType<typeof cancelClosing>;

async function decide(operator: Operator, { tenant, env }: OfAccount, decision: Decide) {
  const context = operator.context(env, tenant);
  const written = await new Closings(operator.store).write(context, (state) =>
    decision(state, context.at.toISOString()),
  );
  if (written.kind === 'rejected') throw refusalOf(written.rejection);
  await operator.caughtUp(env, 'closings', written.position);
  const { state } = written;
  return {
    tenant_id: tenant,
    env,
    status: state.status,
    notice_days: state.status === 'open' ? null : state.proposed.noticeDays,
    proposed_by: state.status === 'open' ? null : state.proposed.by,
    approved_by: 'approved' in state ? state.approved.by : null,
    due_at: 'approved' in state ? state.approved.dueAt : null,
  };
}

function refusalOf({ code }: ClosingRejection): CallRefused {
  switch (code) {
    case 'CLOSING_EXISTS':
      return new CallRefused('this tenant is being closed already: "atelier tenants closings" shows how far');
    case 'CLOSING_NOT_PROPOSED':
      return new CallRefused(
        'the closing of this tenant was not proposed: use "atelier tenants close" first',
      );
    case 'SECOND_OPERATOR_NEEDED':
      return new CallRefused('another operator must approve your proposal. Nothing was changed');
    case 'CLOSING_BEGUN':
      return new CallRefused('the notice period is over, and what was erased cannot be brought back');
    default:
      return code satisfies never;
  }
}

type DecidedClosing = Awaited<ReturnType<typeof decide>>;

function printClosing({ tenant_id, env, status, notice_days, due_at }: DecidedClosing): void {
  const tenant = `Tenant ${tenant_id}`;
  if (status === 'open') printLine(`${tenant} is not closed in ${env}.`);
  else if (status === 'proposed')
    printLine(
      `${tenant} is to be closed in ${env} with ${notice_days} days of notice: another operator must run "atelier tenants approve-closing ${tenant_id} --env ${env}".`,
    );
  else if (status === 'notice') printLine(`${tenant} will be erased in ${env} after ${due_at}.`);
  else printLine(`${tenant} is ${status} in ${env}.`);
}

export const listClosings = defineCall({
  name: 'tenants closings',
  route: 'GET /closings',
  may: ['read'],
  summary: 'Tenants that are being closed or were closed: who wants it, and when everything is erased',
  input: InEnvironment,
  async run(operator, { env }) {
    const closings = [];
    for (const environment of environmentsOf(env)) {
      const rows = (await operator.readModels(environment)).getRepository(ClosingRow);
      for (const row of await rows.find({ order: { proposedAt: 'DESC', tenant: 'ASC' } }))
        closings.push({
          tenant_id: row.tenant,
          env: environment,
          status: row.status,
          notice_days: row.noticeDays,
          proposed_by: row.proposedBy,
          proposed_at: row.proposedAt,
          approved_by: row.approvedBy,
          due_at: row.dueAt,
          closed_at: row.closedAt,
        });
    }
    return { closings };
  },
  print: ({ closings }) =>
    printTable(closings, {
      tenant: (each) => each.tenant_id,
      environment: (each) => each.env,
      status: (each) => each.status,
      'notice days': (each) => each.notice_days,
      'proposed by': (each) => each.proposed_by,
      'approved by': (each) => each.approved_by,
      due: (each) => each.due_at,
      closed: (each) => each.closed_at,
    }),
});

export const exportTenant = defineCall({
  name: 'tenants export',
  route: 'POST /tenants/:tenant/archive',
  may: ['support'],
  summary: 'All that a tenant has in an environment, as a ZIP of JSON and pictures',
  input: OfAccount,
  features: [ObjectStorageModule],
  readOnly: 'recorded',
  download: { type: 'application/zip', name: 'tenant.zip' },
  async run(operator, { tenant, env }) {
    const { name } = await operator.account(env, tenant);
    const owner = { environment: env, tenant };
    const { store } = operator;
    const archives = new PersonArchive(store, new ErasableThings(store), operator.get(ObjectStorage));
    const things = thingsOfTenant(await operator.database(), owner);
    return archives.ofTenant(owner, name, things, operator.context(env, tenant).at);
  },
  print: () => undefined,
});
