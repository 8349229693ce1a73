import type { EventOfType } from '#domain/events.js';
import { streamName, type Environment } from '#domain/streams.js';
import type { Placed } from '../audited-event.js';
import type { AuditFindings } from '../findings.js';
import { Column, hashKey, KeyIndex } from '../memory/columns.js';
import type { AuditedJobs, AuditedJobState } from './jobs.js';
import type { AuditedStreams } from './streams.js';

const chargeStates = ['unknown', 'open', 'settled', 'refunded', 'purchase'] as const;

export type ChargeState = (typeof chargeStates)[number];

/** An open charge, neither settled nor refunded. It keeps its texts, because there are few open charges. */
export interface AuditedCharge {
  readonly stream: string;
  readonly revision: number;
  readonly chargeId: string;
  readonly jobId: string;
  /** Number of the job. */
  readonly job: number;
  /** Number of the job that the request was answered with, if it is another job; −1: it is the same. */
  readonly parent: number;
  readonly amount: number;
  readonly madeAt: number;
}

/** All charges, and the ids of purchases, which share their table in the ledger. */
export class AuditedCharges {
  private readonly index = new KeyIndex();
  private readonly states = Column.uint8();
  private readonly amounts = Column.int32();
  private readonly tenants = Column.uint32();
  private readonly jobs = Column.uint32();
  private readonly revisions = Column.int32();
  readonly open = new Map<number, AuditedCharge>();

  number(environment: Environment, id: string): number {
    return this.index.add(hashKey(id, environment === 'live' ? 1 : 2));
  }

  state(number: number): ChargeState {
    return chargeStates[this.states.get(number)] ?? 'unknown';
  }

  amount(number: number): number {
    return this.amounts.get(number);
  }

  tenant(number: number): number {
    return this.tenants.get(number);
  }

  job(number: number): number {
    return this.jobs.get(number);
  }

  /** The revision of the account's stream at which the charge got its state. */
  revision(number: number): number {
    return this.revisions.get(number);
  }

  make(number: number, tenant: number, charge: AuditedCharge): void {
    this.states.set(number, chargeStates.indexOf('open'));
    this.amounts.set(number, charge.amount);
    this.tenants.set(number, tenant);
    this.jobs.set(number, charge.job);
    this.revisions.set(number, charge.revision);
    this.open.set(number, charge);
  }

  become(number: number, state: Exclude<ChargeState, 'unknown' | 'open'>, revision: number): void {
    this.states.set(number, chargeStates.indexOf(state));
    this.revisions.set(number, revision);
    this.open.delete(number);
  }
}

/** What a charge is held against. */
export interface Books {
  readonly findings: AuditFindings;
  readonly charges: AuditedCharges;
  readonly jobs: AuditedJobs;
  readonly streams: AuditedStreams;
}

export type Closing = Placed<EventOfType<'CreditsSettled'> | EventOfType<'CreditsRefunded'>>;
type Queued = Placed<EventOfType<'JobQueued'>>;

/**
 * A charge is closed once, in full, for its job, and after that job has ended in the way that the closing says.
 * @returns the charge's number when it was open
 */
export function checkClosing(
  { findings, charges, jobs, streams }: Books,
  event: Closing,
  { state, ended }: { readonly state: 'settled' | 'refunded'; readonly ended: AuditedJobState },
): number | undefined {
  const { chargeId, jobId, amount } = event.data;
  const number = charges.number(event.environment, chargeId);
  const charge = charges.open.get(number);
  if (!charge) {
    const known = charges.state(number);
    const found = known === 'unknown' ? 'never made' : `${known} at revision ${charges.revision(number)}`;
    findings.wrongAt(event, 'charges', `charge ${chargeId} is ${state}, and was not open`, 'open', found);
    return undefined;
  }
  const differences: [string, unknown, unknown][] = [
    ['amount', charge.amount, amount],
    ['job', charge.jobId, jobId],
    ['tenant', streams.tenantOf(charges.tenant(number)), event.streamId],
  ];
  for (const [what, expected, found] of differences) {
    if (expected === found) continue;
    const message = `${event.type} of charge ${chargeId} is of another ${what} than its CreditsDebited`;
    findings.wrongAt(event, 'charges', message, expected, found);
  }
  findings.checked('outcomes');
  const found = jobs.state(charge.job);
  const givenUp = ended === 'voided' && charge.parent >= 0 && jobs.state(charge.parent) === 'voided';
  if (found !== ended && !givenUp) {
    const message = `charge ${chargeId} is ${state}, and its job ${charge.jobId} had not ${ended}`;
    findings.wrongAt(event, 'outcomes', message, `job ${ended}`, found);
  }
  return number;
}

/**
 * Reports charges that should be closed by now: without a job, or with a job that ended long ago. Times in
 * milliseconds.
 */
export function checkOpenCharges({ findings, charges, jobs }: Books, deadline: number): void {
  for (const charge of charges.open.values()) {
    const { chargeId, jobId, job, madeAt } = charge;
    const state = jobs.state(job);
    if (state === 'unknown') {
      const message = `charge ${chargeId} is open, and there is no job ${jobId}`;
      const found = `open since ${Number.isNaN(madeAt) ? 'an unknown time' : new Date(madeAt).toISOString()}`;
      if (madeAt < deadline) findings.wrongAt(charge, 'charge-has-job', message, 'a job, or refunded', found);
    } else if (jobs.hasEnded(job) && jobs.endedAt(job) < deadline) {
      const expected = state === 'succeeded' ? 'settled' : 'refunded';
      const message = `charge ${chargeId} is still open, and its job ${jobId} has ${state}`;
      findings.wrongAt(charge, 'outcomes', message, expected, 'open');
    }
  }
}

/** A job is queued after its charge was committed: the price of the job, from the account of its tenant. */
export function checkQueued(books: Books, event: Queued): void {
  const { chargeId, parentJobId } = event.data;
  if (chargeId === null) checkParent(books, event);
  else checkCharge(books, event, chargeId);
  if (parentJobId !== null) checkChild(books, event, parentJobId);
  checkInputs(books, event);
}

function checkCharge({ findings, charges, streams, jobs }: Books, event: Queued, chargeId: string): void {
  const { environment, data } = event;
  findings.checked('job-has-charge');
  const number = charges.number(environment, chargeId);
  const state = charges.state(number);
  if (state !== 'open') {
    const message = `the job is queued on charge ${chargeId}, which is not open`;
    const found = state === 'unknown' ? 'no CreditsDebited before' : state;
    findings.wrongAt(event, 'job-has-charge', message, 'an open charge', found);
    if (state === 'unknown' || state === 'purchase') return;
  }
  const own = jobs.number(environment, data.jobId);
  const differences: [string, unknown, unknown][] = [
    ['amount', data.creditsCost, charges.amount(number)],
    ['tenant', data.tenant, streams.tenantOf(charges.tenant(number))],
    ['job', 'this job', charges.job(number) === own ? 'this job' : 'another job'],
  ];
  for (const [what, expected, found] of differences) {
    if (expected === found) continue;
    const message = `charge ${chargeId} is of another ${what} than the job that is queued on it`;
    findings.wrongAt(event, 'job-has-charge', message, expected, found);
  }
}

/** The children of a batch must have been charged before, under ids that derive from their request. */
function checkParent({ findings, charges, jobs }: Books, event: Queued): void {
  const { environment, data } = event;
  const { childJobIds = [], requestId, creditsCost } = data;
  findings.checked('batches');
  if (childJobIds.length === 0)
    findings.wrongAt(event, 'batches', 'a job without a charge is the parent of a batch', 'children', 'none');
  let charged = 0;
  for (const [index, jobId] of childJobIds.entries()) {
    const chargeId = `${requestId}.${index}`;
    const number = charges.number(environment, chargeId);
    const isCharged = charges.state(number) !== 'unknown';
    if (isCharged && charges.job(number) === jobs.number(environment, jobId)) {
      charged += charges.amount(number);
      continue;
    }
    const message = `child ${jobId} of the batch was not charged before its parent was queued`;
    const found = isCharged ? 'charged for another job' : 'no CreditsDebited before';
    findings.wrongAt(event, 'batches', message, `charge ${chargeId}`, found);
  }
  if (childJobIds.length > 0 && charged !== creditsCost)
    findings.wrongAt(event, 'batches', 'a batch costs what its children cost', creditsCost, charged);
}

function checkChild({ findings, jobs }: Books, event: Queued, parentJobId: string): void {
  findings.checked('batches');
  if (event.data.chargeId === null)
    findings.wrongAt(event, 'batches', 'a child has a charge of its own', 'a charge', 'none');
  if (jobs.isParent(jobs.number(event.environment, parentJobId))) return;
  const message = 'a child comes after its parent';
  findings.wrongAt(event, 'batches', message, `parent ${parentJobId}`, 'none before');
}

/** Pictures of the installation, such as presets, have no tenant. */
function checkInputs({ findings, streams }: Books, event: Queued): void {
  const { inputs, tenant } = event.data;
  for (const { name, assetId } of inputs) {
    const owner = streams.ownerOf(streamName(event.environment, 'asset', assetId));
    if (owner === undefined || owner === tenant) continue;
    const message = `input ${name} is another tenant's asset ${assetId}`;
    findings.wrongAt(event, 'tenants', message, tenant, owner);
  }
}
