import { stringify } from 'csv-stringify/sync';
import type { Handled } from '#application/aggregate.js';
import { CallRefused } from '#operator-calls/call-refused.js';
import { defineCall } from '#operator-calls/call.js';
import { OfAccount, printRest, timeOf } from '#operator-calls/input.js';
import { printLine, printProperties, printTable } from '#operator-calls/output.js';
import { newId } from '#platform/ids.js';
import { ChoiceField, IdField, IntegerField, ListField, TextField } from '#validation/fields.js';
import { Relations } from '#validation/relations.js';
import {
  GrantRelease,
  releaseOf,
  ReviseRelease,
  ruleOf,
  SetReleaseRule,
  WithdrawRelease,
} from './manage-releases.js';
import { oneFee, termFields, termsOf, upperCase, type SentTerms } from './release-fields.js';
import { feesOf, owedFor } from './release-fees.js';
import type { ReleaseFee } from './release.events.js';
import type { KnownRelease, Release, ReleaseRejection } from './release.js';
import { ReleasesModule } from './releases.module.js';
import { ReleasesReader } from './releases.reader.js';

const features = [ReleasesModule];

const releaseField = { description: 'The release, as `releases list` shows it.', required: true };

class OneRelease extends OfAccount {
  @IdField(releaseField)
  release: string;
}

const expiry = {
  description:
    'From then on it allows nothing, for example 2027-01-31T12:00:00Z. Without it, it does not expire.',
  min: 1,
  max: 40,
};

@Relations(...oneFee)
class StatedTerms extends OfAccount implements SentTerms {
  @ListField({ ...termFields.workflows, default: [] })
  workflows: string[] = [];

  @ListField({ ...termFields.uses, default: [] })
  uses: string[] = [];

  @ListField({ ...termFields.territories, default: [] })
  territories: string[] = [];

  @TextField(expiry)
  expires_at?: string;

  @IntegerField(termFields.feeCredits)
  fee_credits?: number;

  @IntegerField(termFields.feeAmount)
  fee_amount?: number;

  @TextField(termFields.feeCurrency)
  fee_currency?: string;

  @TextField({ ...termFields.document, description: 'Where the signed document is kept.' })
  document?: string;
}

class NewRelease extends StatedTerms {
  @TextField({
    ...termFields.dataSubject,
    description: "The tenant's own name for the person.",
    required: true,
  })
  data_subject: string;
}

export const createRelease = defineCall({
  name: 'releases grant',
  route: 'POST /tenants/:tenant/releases',
  may: ['support'],
  summary: 'Record what a person allows to be done with pictures',
  input: NewRelease,
  features,
  unrecorded: ['data_subject', 'document'],
  async run(operator, { tenant, env, data_subject: dataSubject, ...sent }) {
    await operator.account(env, tenant);
    const granted = { ...termsOf(checked(sent)), dataSubject };
    const command = new GrantRelease(operator.context(env, tenant), newId(), granted);
    return written(await operator.execute(command));
  },
  summarise: ({ release_id }) => `release ${release_id}`,
  print: ({ release_id }) => printLine(`Release ${release_id} is granted.`),
});

class RevisedRelease extends StatedTerms {
  @IdField(releaseField)
  release: string;
}

export const reviseRelease = defineCall({
  name: 'releases revise',
  route: 'POST /tenants/:tenant/releases/:release/revise',
  may: ['support'],
  summary: 'State the terms of a release anew; terms that are left out allow all',
  input: RevisedRelease,
  features,
  unrecorded: ['document'],
  async run(operator, { tenant, env, release, ...sent }) {
    const command = new ReviseRelease(operator.context(env, tenant), release, termsOf(checked(sent)));
    return written(await operator.execute(command));
  },
  print: ({ release_id }) => printLine(`Release ${release_id} is revised.`),
});

class WithdrawnRelease extends OneRelease {
  @TextField({ description: 'Why.', min: 1, max: 500 })
  reason?: string;
}

export const withdrawRelease = defineCall({
  name: 'releases withdraw',
  route: 'POST /tenants/:tenant/releases/:release/withdraw',
  may: ['support'],
  summary: 'End a release for good; jobs under it that have not begun are cancelled and refunded',
  input: WithdrawnRelease,
  features,
  unrecorded: ['reason'],
  async run(operator, { tenant, env, release, reason }) {
    const withdrawn = { reason: reason ?? null };
    const command = new WithdrawRelease(operator.context(env, tenant), release, withdrawn);
    return written(await operator.execute(command));
  },
  print: ({ release_id }) =>
    printLine(`Release ${release_id} has ended. API processes know within a second.`),
});

class SoughtReleases extends OfAccount {
  @TextField({ ...termFields.dataSubject, description: 'Only those of this person.' })
  data_subject?: string;

  @ChoiceField({ description: 'Only those.', values: ['active', 'withdrawn', 'expired'] })
  status?: KnownRelease['status'];

  @IntegerField({ description: 'How many.', min: 1, max: 1_000, default: 50 })
  limit: number = 50;

  @IntegerField({ description: 'How many to skip.', min: 0, max: 1_000_000, default: 0 })
  offset: number = 0;
}

export const listReleases = defineCall({
  name: 'releases list',
  route: 'GET /tenants/:tenant/releases',
  may: ['read'],
  summary: 'The releases of a tenant, newest first',
  input: SoughtReleases,
  features,
  async run(operator, { tenant, env, data_subject: dataSubject, status, limit, offset }) {
    await operator.account(env, tenant);
    const filter = { dataSubject, status, limit, offset };
    const { items, total } = await operator.get(ReleasesReader).list(env, tenant, filter);
    return { tenant_id: tenant, total, releases: items.map(describe) };
  },
  print({ releases, total }) {
    const all = (words: readonly string[]) => (words.length === 0 ? 'all' : words.join(', '));
    printTable(releases, {
      'release id': (each) => each.release_id,
      person: (each) => each.data_subject,
      status: (each) => each.status,
      workflows: (each) => all(each.workflows),
      uses: (each) => all(each.uses),
      territories: (each) => all(each.territories),
      expires: (each) => each.expires_at,
      fee: ({ fee }) => fee && `${fee.amount} ${fee.unit}`,
    });
    printRest(releases.length, total);
  },
});

class SoughtUses extends OneRelease {
  @TextField({ description: 'Uses from this time on.', min: 1, max: 40 })
  since?: string;

  @TextField({ description: 'And before this time.', min: 1, max: 40 })
  until?: string;

  @IntegerField({ description: 'How many.', min: 1, max: 100_000, default: 1_000 })
  limit: number = 1_000;
}

export const listReleaseUses = defineCall({
  name: 'releases uses',
  route: 'GET /tenants/:tenant/releases/:release/uses',
  may: ['read'],
  summary: 'The jobs that were ordered under a release, newest first, and the fees that are owed for them',
  input: SoughtUses,
  features,
  csv: true,
  async run(operator, { tenant, env, release, since, until, limit }) {
    if (!(await releaseOf(operator.store, env, tenant, release))) throw unknownRelease();
    const period = { since: moment('--since', since), until: moment('--until', until) };
    const reader = operator.get(ReleasesReader);
    const feeAt = await feesOf(operator.store, env, release);
    const { items, total } = await reader.uses(env, release, period, { limit, offset: 0 });
    const owed = owedFor(await reader.succeeded(env, release, period), feeAt);
    return {
      release_id: release,
      total,
      owed,
      uses: items.map((use) => rowOf(use, feeAt(use.releaseRevision))),
    };
  },
  print({ uses, owed, total }, _input, { csv }) {
    if (csv) return void process.stdout.write(stringify(uses, { header: true }));
    printTable(uses, {
      'job id': (each) => each.job_id,
      workflow: (each) => each.operation,
      status: (each) => each.status,
      used: (each) => each.used_at,
      fee: (each) => (each.fee_unit === null ? null : `${each.fee_amount} ${each.fee_unit}`),
    });
    if (uses.length < total) printLine(`${uses.length} of ${total}: --limit shows more.`);
    for (const { amount, unit, jobs } of owed) printLine(`Owed for ${jobs} jobs: ${amount} ${unit}`);
  },
});

export const showReleaseRule = defineCall({
  name: 'releases rule',
  route: 'GET /tenants/:tenant/release-rule',
  may: ['read'],
  summary: 'Whether dispatches of a tenant about persons need a release',
  input: OfAccount,
  async run(operator, { tenant, env }) {
    await operator.account(env, tenant);
    return { ...(await ruleOf(operator.store, env, tenant)) };
  },
  print: (rule) => printRule(rule),
});

class ChangedRule extends OfAccount {
  @ChoiceField({
    description: 'Whether a dispatch about a person needs a release.',
    values: ['required', 'optional'],
  })
  releases?: 'required' | 'optional';

  @ListField({ ...termFields.uses, description: 'What the tenant uses pictures for.' })
  uses?: string[];

  @ListField({ ...termFields.territories, description: 'Where the tenant uses pictures.' })
  territories?: string[];
}

export const changeReleaseRule = defineCall({
  name: 'releases set-rule',
  route: 'PATCH /tenants/:tenant/release-rule',
  may: ['support'],
  summary: 'Require releases of a tenant, or not; fields that are left out stay as they are',
  input: ChangedRule,
  features,
  async run(operator, { tenant, env, releases, uses, territories }) {
    await operator.account(env, tenant);
    const change = {
      ...(releases && { required: releases === 'required' }),
      ...(uses && { uses }),
      ...(territories && { territories: upperCase(territories) }),
    };
    const handled = await operator.execute(new SetReleaseRule(operator.context(env, tenant), tenant, change));
    return { ...handled.state };
  },
  print: (rule) => printRule(rule),
});

function printRule(rule: {
  required: boolean;
  uses: readonly string[];
  territories: readonly string[];
}): void {
  printProperties([
    ['releases', rule.required ? 'required' : 'optional'],
    ['uses', rule.uses.join(', ') || 'not stated'],
    ['territories', rule.territories.join(', ') || 'not stated'],
  ]);
}

/** The command's times may have any form that it understands. @throws CallRefused */
function checked<Sent extends SentTerms>(sent: Sent): Sent {
  const { expires_at: expiresAt } = sent;
  return expiresAt === undefined ? sent : { ...sent, expires_at: moment('--expires-at', expiresAt) };
}

function moment<Text extends string | undefined>(option: string, text: Text): Text {
  // The text is undefined exactly if the type says so.
  return (text === undefined ? undefined : new Date(timeOf(option, text)).toISOString()) as Text;
}

function describe(release: KnownRelease) {
  const { releaseId, dataSubject, workflows, uses, territories, expiresAt, fee, document, status } = release;
  return {
    release_id: releaseId,
    data_subject: dataSubject,
    status,
    workflows: [...workflows],
    uses: [...uses],
    territories: [...territories],
    expires_at: expiresAt,
    fee,
    document,
    granted_at: release.grantedAt,
    ended_at: release.endedAt,
  };
}

interface UseOfRelease {
  readonly jobId: string;
  readonly operation: string;
  readonly status: string;
  readonly usedAt: string;
}

function rowOf({ jobId, operation, status, usedAt }: UseOfRelease, fee: ReleaseFee | null) {
  return {
    job_id: jobId,
    operation,
    status,
    used_at: usedAt,
    fee_amount: fee?.amount ?? null,
    fee_unit: fee?.unit ?? null,
  };
}

function written(handled: Handled<Release, ReleaseRejection>) {
  if (handled.kind === 'accepted' && handled.state) return describe(handled.state);
  const code = handled.kind === 'rejected' ? handled.rejection.code : 'RELEASE_NOT_FOUND';
  switch (code) {
    case 'RELEASE_NOT_FOUND':
      throw unknownRelease();
    case 'RELEASE_ENDED':
      throw new CallRefused('this release has ended: grant a new one');
    case 'EXPIRY_PASSED':
      throw new CallRefused('--expires-at must be in the future');
    default:
      return code satisfies never;
  }
}

function unknownRelease(): CallRefused {
  return new CallRefused(
    'the tenant has no such release in this environment: "atelier releases list" shows their ids',
    'RESOURCE_NOT_FOUND',
  );
}
