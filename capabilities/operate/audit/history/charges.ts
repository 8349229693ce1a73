import type { EventOfType } from '#domain/events.js';
import { streamName, type Environment } from '#domain/streams.js';
import type { Placed } from '../audited-event.js';
import type { AuditFindings } from '../findings.js';
import type { AuditedJob, AuditedJobs, AuditedJobState } from './jobs.js';
import type { AuditedStreams } from './streams.js';

/** Purchases and corrections share the ids of charges, because they share their table in the ledger. */
export type ChargeState = 'unknown' | 'open' | 'settled' | 'refunded' | 'purchase';

export interface AuditedCharge {
  readonly chargeId: string;
  /** The account, and the revision at which the charge got its state. */
  readonly stream: string;
  revision: number;
  state: Exclude<ChargeState, 'unknown'>;
  readonly tenant: string;
  readonly amount: number;
  /** Milliseconds. */
  readonly madeAt: number;
  /** Absent from purchases. */
  readonly job?: AuditedJob;
  /** The job that the request was answered with, if it is another job. */
  readonly parent?: AuditedJob;
}

/** All charges and purchases. */
export class AuditedCharges {
  private readonly charges = new Map<string, AuditedCharge>();

  get(environment: Environment, id: string): AuditedCharge | undefined {
    return this.charges.get(`${environment}/${id}`);
  }

  add(environment: Environment, charge: AuditedCharge): void {
    this.charges.set(`${environment}/${charge.chargeId}`, charge);
  }

  get all(): IterableIterator<AuditedCharge> {
    return this.charges.values();
  }
}

/** The models that a charge is checked against. */
export interface Books {
  readonly findings: AuditFindings;
  readonly charges: AuditedCharges;
  readonly jobs: AuditedJobs;
  readonly streams: AuditedStreams;
}

export type Closing = Placed<EventOfType<'CreditsSettled'> | EventOfType<'CreditsRefunded'>>;
type Queued = Placed<EventOfType<'JobQueued'>>;

/**
 * Checks that a charge is closed once, in full, for its job, and only after that job has ended in the way that
 * the closing says.
 */
export function closeCharge(
  { findings, charges }: Books,
  event: Closing,
  { state, ended }: { readonly state: 'settled' | 'refunded'; readonly ended: AuditedJobState },
): void {
  const { chargeId, jobId, amount } = event.data;
  const charge = charges.get(event.environment, chargeId);
  if (charge?.state !== 'open') {
    const found = charge ? `${charge.state} at revision ${charge.revision}` : 'never made';
    findings.wrongAt(event, 'charges', `charge ${chargeId} is ${state}, but was not open`, 'open', found);
    return;
  }
  const { job, parent } = charge;
  const differences: [string, unknown, unknown][] = [
    ['amount', charge.amount, amount],
    ['job', job?.jobId, jobId],
    ['tenant', charge.tenant, event.streamId],
  ];
  for (const [what, expected, found] of differences) {
    if (expected === found) continue;
    const message = `${event.type} of charge ${chargeId} has another ${what} than its CreditsDebited`;
    findings.wrongAt(event, 'charges', message, expected, found);
  }
  findings.checked('outcomes');
  const givenUp = ended === 'voided' && parent?.state === 'voided';
  if (job?.state !== ended && !givenUp) {
    const message = `charge ${chargeId} is ${state}, but its job ${job?.jobId} had not ${ended}`;
    findings.wrongAt(event, 'outcomes', message, `job ${ended}`, job?.state);
  }
  charge.state = state;
  charge.revision = event.revision;
}

/**
 * Reports charges that should be closed by now: without a job, or with a job that ended long ago. Times in
 * milliseconds.
 */
export function checkOpenCharges({ findings, charges }: Books, deadline: number): void {
  for (const charge of charges.all) {
    const { chargeId, job, madeAt } = charge;
    if (charge.state !== 'open' || !job) continue;
    const { jobId, state, endedAt } = job;
    if (state === 'unknown') {
      const message = `charge ${chargeId} is open, but there is no job ${jobId}`;
      const found = `open since ${Number.isNaN(madeAt) ? 'an unknown time' : new Date(madeAt).toISOString()}`;
      if (madeAt < deadline) findings.wrongAt(charge, 'charge-has-job', message, 'a job, or refunded', found);
    } else if (endedAt !== undefined && endedAt < deadline) {
      const expected = state === 'succeeded' ? 'settled' : 'refunded';
      const message = `charge ${chargeId} is still open, but its job ${jobId} has ${state}`;
      findings.wrongAt(charge, 'outcomes', message, expected, 'open');
    }
  }
}

/**
 * Checks that the charge was committed before the job was queued: the price of the job, from the account of its
 * tenant.
 */
export function checkQueued(books: Books, event: Queued): void {
  const { chargeId, parentJobId } = event.data;
  if (chargeId === null) checkParent(books, event);
  else checkCharge(books, event, chargeId);
  if (parentJobId !== null) checkChild(books, event, parentJobId);
  checkInputs(books, event);
}

function checkCharge({ findings, charges }: Books, event: Queued, chargeId: string): void {
  const { environment, data } = event;
  findings.checked('job-has-charge');
  const charge = charges.get(environment, chargeId);
  if (charge?.state !== 'open') {
    const message = `the job is queued on charge ${chargeId}, which is not open`;
    const found = charge?.state ?? 'no CreditsDebited before';
    findings.wrongAt(event, 'job-has-charge', message, 'an open charge', found);
  }
  if (!charge?.job) return;
  const differences: [string, unknown, unknown][] = [
    ['amount', data.creditsCost, charge.amount],
    ['tenant', data.tenant, charge.tenant],
    ['job', 'this job', charge.job.jobId === data.jobId ? 'this job' : 'another job'],
  ];
  for (const [what, expected, found] of differences) {
    if (expected === found) continue;
    const message = `charge ${chargeId} has another ${what} than the job that is queued on it`;
    findings.wrongAt(event, 'job-has-charge', message, expected, found);
  }
}

/** The children of a batch must have been charged before, under ids that derive from their request. */
function checkParent({ findings, charges }: Books, event: Queued): void {
  const { environment, data } = event;
  const { childJobIds = [], requestId, creditsCost } = data;
  findings.checked('batches');
  if (childJobIds.length === 0)
    findings.wrongAt(event, 'batches', 'a job without a charge is the parent of a batch', 'children', 'none');
  let charged = 0;
  for (const [index, jobId] of childJobIds.entries()) {
    const chargeId = `${requestId}.${index}`;
    const charge = charges.get(environment, chargeId);
    if (charge?.job?.jobId === jobId) {
      charged += charge.amount;
      continue;
    }
    const message = `child ${jobId} of the batch was not charged before its parent was queued`;
    const found = charge ? 'charged for another job' : 'no CreditsDebited before';
    findings.wrongAt(event, 'batches', message, `charge ${chargeId}`, found);
  }
  if (childJobIds.length > 0 && charged !== creditsCost)
    findings.wrongAt(event, 'batches', 'a batch costs what its children cost', creditsCost, charged);
}

function checkChild({ findings, jobs }: Books, event: Queued, parentJobId: string): void {
  findings.checked('batches');
  if (event.data.chargeId === null)
    findings.wrongAt(event, 'batches', 'a child has a charge of its own', 'a charge', 'none');
  if (jobs.of(event.environment, parentJobId).isParent) return;
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
