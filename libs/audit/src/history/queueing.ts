import type { EventOfType } from '#domain/events.js';
import { streamName } from '#domain/streams.js';
import type { EventPlace } from '../audited-event.js';
import type { Books } from './outcomes.js';

type Queued = EventOfType<'JobQueued'> & EventPlace;

/** No job without its charge, which was committed before: the price of the job, from the account of its tenant. */
export function checkQueued(books: Books, event: Queued): void {
  const { chargeId, childJobIds, parentJobId } = event.data;
  if (chargeId === null) checkParent(books, event, childJobIds);
  else checkCharge(books, event, chargeId);
  if (parentJobId !== null) checkChild(books, event, parentJobId);
  checkInputs(books, event);
}

function checkCharge(books: Books, event: Queued, chargeId: string): void {
  const { findings, charges, streams, jobs } = books;
  const { environment, stream, revision, data } = event;
  findings.checked('job-has-charge');
  const number = charges.number(environment, chargeId);
  const state = charges.state(number);
  if (state !== 'open') {
    const message = `the job is queued on charge ${chargeId}, which is not open`;
    const found = state === 'unknown' ? 'no CreditsDebited before' : state;
    findings.wrong({ check: 'job-has-charge', message, stream, revision, expected: 'an open charge', found });
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
    findings.wrong({ check: 'job-has-charge', message, stream, revision, expected, found });
  }
}

/** Its children were charged one by one, before, by the name that their request gives them. */
function checkParent(
  { findings, charges, jobs }: Books,
  { environment, stream, revision, data }: Queued,
  childJobIds: readonly string[] | undefined,
): void {
  findings.checked('batches');
  if (!childJobIds || childJobIds.length === 0) {
    const message = 'a job without a charge is the parent of a batch';
    const expected = 'children';
    findings.wrong({ check: 'batches', message, stream, revision, expected, found: 'none' });
    return;
  }
  let charged = 0;
  childJobIds.forEach((jobId, index) => {
    const chargeId = `${data.requestId}.${index}`;
    const number = charges.number(environment, chargeId);
    const isCharged = charges.state(number) !== 'unknown';
    if (isCharged && charges.job(number) === jobs.number(environment, jobId)) {
      charged += charges.amount(number);
      return;
    }
    const message = `child ${jobId} of the batch was not charged before its parent was queued`;
    const found = isCharged ? 'charged for another job' : 'no CreditsDebited before';
    const expected = `charge ${chargeId}`;
    findings.wrong({ check: 'batches', message, stream, revision, expected, found });
  });
  if (charged !== data.creditsCost) {
    const message = 'a batch costs what its children cost';
    findings.wrong({
      check: 'batches',
      message,
      stream,
      revision,
      expected: data.creditsCost,
      found: charged,
    });
  }
}

function checkChild(
  { findings, jobs }: Books,
  { environment, stream, revision, data }: Queued,
  parentJobId: string,
): void {
  findings.checked('batches');
  const wrong = (message: string, expected: unknown, found: unknown) =>
    findings.wrong({ check: 'batches', message, stream, revision, expected, found });
  const parent = jobs.number(environment, parentJobId);
  if (data.chargeId === null) wrong('a child has a charge of its own', 'a charge', 'none');
  if (!jobs.isParent(parent)) wrong('a child comes after its parent', `parent ${parentJobId}`, 'none before');
}

/** Pictures of the installation, such as presets, are no assets of anybody. */
function checkInputs({ findings, streams }: Books, { environment, stream, revision, data }: Queued): void {
  for (const { name, assetId } of data.inputs) {
    const owner = streams.ownerOf(streamName(environment, 'asset', assetId));
    if (owner === undefined || owner === data.tenant) continue;
    const message = `input ${name} is another tenant's asset ${assetId}`;
    findings.wrong({ check: 'tenants', message, stream, revision, expected: data.tenant, found: owner });
  }
}
