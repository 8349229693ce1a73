import { ErasableThings } from '#application/erasure/erasable-things.js';
import { StreamCommandsModule } from '#application/stream-commands.module.js';
import { longestDataSubject } from '#domain/data-subject.js';
import { CallRefused } from '#operator-calls/call-refused.js';
import { defineCall } from '#operator-calls/call.js';
import { OfAccount } from '#operator-calls/input.js';
import { printLine, printTable } from '#operator-calls/output.js';
import { newId } from '#platform/ids.js';
import { IdField, TextField } from '#validation/fields.js';
import { exactlyOneOf, given, Relations } from '#validation/relations.js';
import { HoldsInForce } from './holds-in-force.js';
import { HoldsModule } from './holds.module.js';
import type { LegalHold } from './legal-hold.js';
import { LiftHold, PlaceHold } from './manage-keeping.js';

const features = [StreamCommandsModule, HoldsModule];

@Relations(exactlyOneOf(given('job'), given('data_subject')))
class NewHold extends OfAccount {
  @IdField({ description: 'The job. Its pictures, and those that it was ordered with, are covered as well.' })
  job?: string;

  @TextField({ description: "The person, by the tenant's own name.", min: 1, max: longestDataSubject })
  data_subject?: string;

  @TextField({ description: 'Why, for the record.', min: 1, max: 500, required: true })
  reason: string;
}

export const placeLegalHold = defineCall({
  name: 'holds place',
  route: 'POST /tenants/:tenant/holds',
  may: ['support'],
  summary: 'Keep what belongs to a job or a person from being erased, until the hold is lifted',
  input: NewHold,
  features,
  unrecorded: ['data_subject', 'reason'],
  async run(operator, { tenant, env, job, data_subject: dataSubject, reason }) {
    await operator.account(env, tenant);
    const owner = { environment: env, tenant };
    if (job !== undefined && !(await operator.get(ErasableThings).job(owner, job)))
      throw new CallRefused(`the tenant has no job ${job} in ${env}`, 'RESOURCE_NOT_FOUND');
    const hold = { holdId: newId(), jobId: job ?? null, dataSubject: dataSubject ?? null, reason };
    const handled = await operator.execute(new PlaceHold(operator.context(env, tenant), tenant, hold));
    const placed = handled.state.find(({ holdId }) => holdId === hold.holdId);
    if (!placed) throw new Error(`hold ${hold.holdId} was placed and is not there`);
    return describe(placed);
  },
  summarise: ({ hold_id }) => `hold ${hold_id}`,
  print: ({ hold_id }) => printLine(`Hold ${hold_id} is in force.`),
});

export const listLegalHolds = defineCall({
  name: 'holds list',
  route: 'GET /tenants/:tenant/holds',
  may: ['read'],
  summary: 'The holds of a tenant that are in force',
  input: OfAccount,
  features,
  async run(operator, { tenant, env }) {
    await operator.account(env, tenant);
    const holds = await operator.get(HoldsInForce).of({ environment: env, tenant });
    return { tenant_id: tenant, holds: holds.map(describe) };
  },
  print: ({ holds }) =>
    printTable(holds, {
      'hold id': (each) => each.hold_id,
      job: (each) => each.job_id,
      person: (each) => each.data_subject,
      reason: (each) => each.reason,
      since: (each) => each.placed_at,
    }),
});

class LiftedHold extends OfAccount {
  @IdField({ description: 'The hold, as `holds list` shows it.', required: true })
  hold: string;

  @TextField({ description: 'Why, for the record.', min: 1, max: 500, required: true })
  reason: string;
}

export const liftLegalHold = defineCall({
  name: 'holds lift',
  route: 'POST /tenants/:tenant/holds/:hold/lift',
  may: ['support'],
  summary: 'End a hold: what it covered can be erased again',
  input: LiftedHold,
  features,
  unrecorded: ['reason'],
  async run(operator, { tenant, env, hold, reason }) {
    await operator.account(env, tenant);
    const lifted = { holdId: hold, reason };
    const handled = await operator.execute(new LiftHold(operator.context(env, tenant), tenant, lifted));
    if (handled.kind === 'rejected')
      throw new CallRefused(
        'the tenant has no such hold in force: "atelier holds list" shows their ids',
        'RESOURCE_NOT_FOUND',
      );
    return { hold_id: hold };
  },
  print: ({ hold_id }) => printLine(`Hold ${hold_id} is lifted.`),
});

function describe({ holdId, jobId, dataSubject, reason, at }: LegalHold) {
  return { hold_id: holdId, job_id: jobId, data_subject: dataSubject, reason, placed_at: at };
}
