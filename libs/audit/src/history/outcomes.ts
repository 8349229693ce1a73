import type { EventOfType } from '#domain/events.js';
import type { EventPlace } from '../audited-event.js';
import type { Findings } from '../findings.js';
import type { Charges, OpenCharge } from './charges.js';
import type { Jobs, JobState } from './jobs.js';
import type { Streams } from './streams.js';

export type Closing = (EventOfType<'CreditsSettled'> | EventOfType<'CreditsRefunded'>) & EventPlace;

export interface Books {
  readonly findings: Findings;
  readonly charges: Charges;
  readonly jobs: Jobs;
  readonly streams: Streams;
}

/**
 * A charge is closed once, in full, for its job, and after that job has ended in the way that the closing says.
 * @returns the charge's number when it was open
 */
export function checkClosing(
  { findings, charges, jobs, streams }: Books,
  { type, data, environment, streamId, stream, revision }: Closing,
  { state, ended }: { readonly state: 'settled' | 'refunded'; readonly ended: JobState },
): number | undefined {
  const { chargeId, jobId, amount } = data;
  const number = charges.number(environment, chargeId);
  const charge = charges.open.get(number);
  if (!charge) {
    const known = charges.state(number);
    const message = `charge ${chargeId} is ${state}, and was not open`;
    const found = known === 'unknown' ? 'never made' : `${known} at revision ${charges.revision(number)}`;
    findings.wrong({ check: 'charges', message, stream, revision, expected: 'open', found });
    return undefined;
  }
  const differences: [string, unknown, unknown][] = [
    ['amount', charge.amount, amount],
    ['job', charge.jobId, jobId],
    ['tenant', streams.tenantOf(charges.tenant(number)), streamId],
  ];
  for (const [what, expected, found] of differences) {
    if (expected === found) continue;
    const message = `${type} of charge ${chargeId} is of another ${what} than its CreditsDebited`;
    findings.wrong({ check: 'charges', message, stream, revision, expected, found });
  }
  findings.checked('outcomes');
  const found = jobs.state(charge.job);
  const givenUp = ended === 'voided' && charge.parent >= 0 && jobs.state(charge.parent) === 'voided';
  if (found !== ended && !givenUp) {
    const message = `charge ${chargeId} is ${state}, and its job ${charge.jobId} had not ${ended}`;
    findings.wrong({ check: 'outcomes', message, stream, revision, expected: `job ${ended}`, found });
  }
  return number;
}

/** What must be over by now: a charge that no job came of, or whose job has ended long ago. Times in milliseconds. */
export function checkOpenCharges({ findings, charges, jobs }: Books, deadline: number): void {
  for (const charge of charges.open.values()) {
    const state = jobs.state(charge.job);
    if (state === 'unknown') {
      if (charge.madeAt < deadline) findings.wrong(orphaned(charge));
    } else if (jobs.hasEnded(charge.job) && jobs.endedAt(charge.job) < deadline) {
      const { stream, revision, chargeId, jobId } = charge;
      const expected = state === 'succeeded' ? 'settled' : 'refunded';
      const message = `charge ${chargeId} is still open, and its job ${jobId} has ${state}`;
      findings.wrong({ check: 'outcomes', message, stream, revision, expected, found: 'open' });
    }
  }
}

function orphaned({ stream, revision, chargeId, jobId, madeAt }: OpenCharge) {
  const message = `charge ${chargeId} is open, and there is no job ${jobId}`;
  const expected = 'a job, or refunded';
  const found = `open since ${timeText(madeAt)}`;
  return { check: 'charge-has-job', message, stream, revision, expected, found } as const;
}

function timeText(milliseconds: number): string {
  return Number.isNaN(milliseconds) ? 'an unknown time' : new Date(milliseconds).toISOString();
}
