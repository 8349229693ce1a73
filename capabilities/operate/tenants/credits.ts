import { CorrectCredits } from '#application/account/manage-accounts.handler.js';
import { DecideGrant, ProposeGrant, type HandledGrant } from '#application/grant/manage-grants.handler.js';
import { GrantModule } from '#application/grant/grant.module.js';
import { installation } from '#application/command-context.js';
import type { PurchaseKind } from '#domain/account/account.events.js';
import { evolveGrant, initialGrant, type Grant, type ProposedGrant } from '#domain/grant/grant.js';
import { categoryPrefix, environments, type Environment } from '#domain/streams.js';
import { timelessId } from '#platform/ids.js';
import { ChoiceField, IntegerField, TextField } from '#validation/fields.js';
import { defineCall } from '#operator-calls/call.js';
import { foldedStreams } from '#operator-calls/folded-streams.js';
import { InEnvironment, OfAccount, environmentsOf } from '#operator-calls/input.js';
import type { Operator } from '#operator-calls/operator.js';
import { printLine, printTable } from '#operator-calls/output.js';
import { CallRefused } from '#operator-calls/call-refused.js';
import { mostCreditsAtOnce } from './tenants.js';

const kinds: readonly PurchaseKind[] = ['pack', 'subscription'];

class AmountOfAccount extends OfAccount {
  @IntegerField({ description: 'Credits.', min: 1, max: mostCreditsAtOnce, required: true })
  amount: number;
}

class NewGrant extends AmountOfAccount {
  @ChoiceField({ description: 'The kind of purchase.', values: kinds, required: true })
  kind: PurchaseKind;

  @TextField({ description: 'The text that the ledger shows for it.', min: 1, max: 128, required: true })
  label: string;

  @TextField({
    description:
      'The name that the payment has where it was made. A payment is credited once in an environment, even if it comes with several keys.',
    min: 1,
    max: 128,
  })
  reference?: string;
}

/**
 * Adds credits, as a purchase in the ledger, once for each payment. More than ATELIER_SECOND_OPERATOR_ABOVE is
 * only proposed: another operator adds the credits with `credits approve`.
 */
export const grantTenantCredits = defineCall({
  name: 'credits grant',
  route: 'POST /tenants/:tenant/credits',
  may: ['finance'],
  summary: 'Add credits to a balance, as a purchase in the ledger, once for each payment',
  input: NewGrant,
  features: [GrantModule],
  idempotent: 'always',
  async run(operator, { tenant, env, amount, kind, label, reference }, { idempotencyKey }) {
    await operator.account(env, tenant);
    const { secondOperatorAbove: limit } = operator.configuration.admin;
    const needsApproval = limit !== undefined && amount > limit;
    const proposal = { kind, amount, label, reference: reference ?? null, by: operator.name, needsApproval };
    const key = idempotencyKey === undefined ? undefined : `key ${operator.name} ${idempotencyKey}`;
    const identity = reference === undefined ? key : `reference ${reference}`;
    const handled = await operator.execute(
      new ProposeGrant(operator.context(env, tenant), proposal, identity),
    );
    return describeOutcome(operator, env, handled);
  },
  summarise: ({ grant_id, status }) => `grant ${grant_id} is ${status}`,
  print: printOutcome,
});

class OneGrant {
  @TextField({ description: 'The grant, as `credits grants` lists it.', min: 26, max: 26, required: true })
  grant: string;

  @ChoiceField({ description: 'Data environment.', values: environments, required: true })
  env: Environment;
}

class Declined extends OneGrant {
  @TextField({ description: 'Why, for the record.', min: 1, max: 200, required: true })
  reason: string;
}

export const approveCredits = defineCall({
  name: 'credits approve',
  route: 'POST /grants/:grant/approve',
  may: ['finance'],
  summary: 'Add the credits that another operator has proposed',
  input: OneGrant,
  features: [GrantModule],
  run: (operator, grant) => decide(operator, grant, { kind: 'approve', by: operator.name }),
  print: printOutcome,
});

export const declineCredits = defineCall({
  name: 'credits decline',
  route: 'POST /grants/:grant/decline',
  may: ['finance'],
  summary: 'Refuse a proposed grant, or withdraw your own',
  input: Declined,
  features: [GrantModule],
  run: (operator, { reason, ...grant }) =>
    decide(operator, grant, { kind: 'decline', by: operator.name, reason }),
  print: printOutcome,
});

async function decide(operator: Operator, { grant, env }: OneGrant, decision: DecideGrant['decision']) {
  const context = operator.context(env, installation);
  return describeOutcome(operator, env, await operator.execute(new DecideGrant(context, grant, decision)));
}

async function describeOutcome(operator: Operator, env: Environment, handled: HandledGrant) {
  if (handled.kind === 'rejected') throw refusalOf(handled.rejection);
  const { grant } = handled;
  const { tenant, kind, label, amount, reference, grantId } = grant;
  if (handled.kind === 'credited') await operator.caughtUp(env, 'ledger', handled.position);
  const { balance } = await operator.account(env, tenant);
  return {
    tenant_id: tenant,
    env,
    kind,
    label,
    amount,
    balance,
    grant_id: grantId,
    reference,
    status: handled.kind,
    ...(handled.kind === 'credited' && { replayed: !handled.changed }),
  };
}

type GrantOutcome = Awaited<ReturnType<typeof describeOutcome>>;

function printOutcome({ tenant_id, env, amount, balance, status, grant_id, replayed }: GrantOutcome): void {
  const what = `${amount} credits granted to ${tenant_id} in ${env}`;
  if (status === 'credited' && replayed) printLine(`${what} before; the balance is ${balance}.`);
  else if (status === 'credited') printLine(`${what}; the balance is now ${balance}.`);
  else if (status === 'declined') printLine(`Grant ${grant_id} is declined. Nothing was credited.`);
  else
    printLine(
      `${amount} credits are proposed for ${tenant_id} in ${env}: another operator must run "atelier credits approve ${grant_id} --env ${env}".`,
    );
}

function refusalOf(rejection: Extract<HandledGrant, { kind: 'rejected' }>['rejection']): CallRefused {
  switch (rejection.code) {
    case 'GRANT_NOT_FOUND':
      return new CallRefused(
        'there is no such grant: "atelier credits grants" lists them',
        'RESOURCE_NOT_FOUND',
      );
    case 'GRANT_DECLINED':
      return new CallRefused('this grant was declined. Nothing was credited');
    case 'GRANT_APPROVED':
      return new CallRefused('this grant is credited already: "atelier credits correct" takes credits back');
    case 'SECOND_OPERATOR_NEEDED':
      return new CallRefused('another operator must approve your proposal. Nothing was credited');
    case 'GRANT_DIFFERS': {
      const { amount, tenant, at } = rejection.earlier;
      return new CallRefused(
        `this payment came at ${at} with another content: ${amount} credits for ${tenant}. Nothing was credited`,
        'IDEMPOTENCY_KEY_REUSED',
      );
    }
    default:
      return new CallRefused(
        'message' in rejection ? rejection.message : `the credits could not be granted: ${rejection.code}`,
      );
  }
}

class ListedGrants extends InEnvironment {
  @ChoiceField({ description: 'Only those.', values: ['proposed', 'approved', 'declined'] })
  status?: Exclude<Grant['status'], 'none'>;
}

export const listGrants = defineCall({
  name: 'credits grants',
  route: 'GET /grants',
  may: ['read'],
  summary: 'Grants of credits: who proposed them, and what became of them',
  input: ListedGrants,
  async run(operator, { env, status }) {
    const grants = [];
    for (const environment of environmentsOf(env)) {
      const recorded = await operator.recorded({ streamPrefixes: [categoryPrefix(environment, 'grant')] });
      const found = foldedStreams(recorded, { initial: initialGrant, evolve: evolveGrant });
      for (const grant of found.values())
        if (grant.status !== 'none' && (status === undefined || grant.status === status))
          grants.push({ env: environment, status: grant.status, ...describeGrant(grant.grant) });
    }
    return { grants };
  },
  print: ({ grants }) =>
    printTable(grants, {
      grant: (grant) => grant.grant_id,
      environment: (grant) => grant.env,
      tenant: (grant) => grant.tenant_id,
      credits: (grant) => grant.amount,
      label: (grant) => grant.label,
      reference: (grant) => grant.reference,
      status: (grant) => grant.status,
      by: (grant) => grant.proposed_by,
      at: (grant) => grant.proposed_at,
    }),
});

function describeGrant({ grantId, tenant, kind, amount, label, reference, by, at }: ProposedGrant) {
  return {
    grant_id: grantId,
    tenant_id: tenant,
    kind,
    amount,
    label,
    reference,
    proposed_by: by,
    proposed_at: at,
  };
}

class Correction extends AmountOfAccount {
  @TextField({ description: 'Why, for the ledger.', min: 1, max: 128, required: true })
  reason: string;
}

export const correctTenantCredits = defineCall({
  name: 'credits correct',
  route: 'POST /tenants/:tenant/corrections',
  may: ['finance'],
  summary: 'Take credits back that should not have been granted; never below 0',
  input: Correction,
  idempotent: 'always',
  async run(operator, { tenant, env, amount, reason }, { idempotencyKey }) {
    await operator.account(env, tenant);
    const correctionId = timelessId(`correction ${env} ${tenant} ${operator.name} ${idempotencyKey}`);
    const context = operator.context(env, tenant);
    const corrected = await operator.execute(new CorrectCredits(context, { amount, reason, correctionId }));
    if (corrected.kind === 'rejected') {
      const { rejection } = corrected;
      throw new CallRefused('message' in rejection ? rejection.message : rejection.code);
    }
    await operator.caughtUp(env, 'ledger', corrected.position);
    const { balance } = await operator.account(env, tenant);
    return { tenant_id: tenant, env, amount, reason, balance };
  },
  print: ({ tenant_id, env, amount, balance }) =>
    printLine(`${amount} credits taken back from ${tenant_id} in ${env}; the balance is now ${balance}.`),
});
