import { randomInt } from 'node:crypto';
import { categoryById } from '@atelier/engine/garment-categories';
import type { JobInputImage } from '#domain/job/job.events.js';
import type { QueuedJob } from '#domain/job/job.js';
import type { Workflow } from '#workflows/define-workflow.js';
import type { JobToCharge } from './batch.js';
import type { DispatchRequest } from './dispatch-request.js';
import type { DispatchIds } from './idempotency.js';

/** Seeds fit a signed 32-bit integer, which every engine takes. */
const seedRange = 2 ** 31 - 1;

/** The job that a request is answered with. Where it is the parent of a batch, its children have the charges. */
export function queuedJob(
  request: DispatchRequest,
  ids: DispatchIds,
  workflow: Workflow,
  charges: readonly (JobToCharge & { readonly amount: number })[],
  inputs: JobInputImage[],
): QueuedJob {
  const { body } = request;
  const { batch } = workflow;
  const seed = typeof body['seed'] === 'number' ? body['seed'] : randomInt(seedRange);
  return {
    jobId: ids.jobId,
    tenant: request.caller.tenant,
    requestId: ids.requestId,
    chargeId: batch ? null : ids.requestId,
    operation: workflow.name,
    jobType: workflow.jobType,
    creditsCost: charges.reduce((sum, { amount }) => sum + amount, 0),
    displayName: displayNameOf(workflow, body, inputs, seed),
    request: { ...body },
    inputs,
    seed,
    parentJobId: null,
    ...(batch && { childJobIds: charges.map(({ jobId }) => jobId) }),
    ...(request.testOutcome === undefined ? {} : { testOutcome: request.testOutcome }),
    at: request.at.toISOString(),
  };
}

function displayNameOf(
  workflow: Workflow,
  body: DispatchRequest['body'],
  inputs: readonly JobInputImage[],
  seed: number,
): string {
  const { display_name: given, garment_category_public_id: categoryId } = body;
  if (typeof given === 'string' && given !== '') return given;
  const category = typeof categoryId === 'string' ? categoryById(categoryId)?.displayLabel : undefined;
  return workflow.coinName({ seed, body, category, pictures: inputs.map(({ meta }) => meta) });
}
