import { aboutPersons, type AboutPersons } from '#domain/data-subject.js';
import { keptFor, type KeptFor } from '#domain/kept-for.js';
import type { AcceptedKey, TestOutcome, JobInputImage } from '#domain/job/job.events.js';
import type { Caller } from '../command-context.js';
import type { QueuedJob } from '#domain/job/job.js';
import type { Workflow } from '#workflows/define-workflow.js';
import type { OutputFields } from '#workflows/common-fields.js';
import { workflowOf } from '#workflows/workflows.js';
import { derivedId, timeOfId } from '#platform/ids.js';
import type { DispatchIds } from './idempotency.js';
import { randomInt } from 'node:crypto';
import { categoryById } from '#domain/garment/garment-categories.js';

export interface DispatchRequest {
  readonly caller: Caller;
  /** A name of the workflow table. */
  readonly workflow: string;
  readonly endpoint: string;
  /** In the caller's own field names. Absent fields stay absent. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly at: Date;
  /** The id of the image model, as chosen for this caller and workflow. */
  readonly imageModel?: string;
  /** The model runs at another provider: the worker waits for it and uses no core meanwhile. */
  readonly remote?: boolean;
  /** The model knows only the people that it drew, so a photograph of a person is refused. */
  readonly drawnPeopleOnly?: boolean;
  /** The outcome to force; only with keys of the test environment. */
  readonly testOutcome?: TestOutcome;
  /** The price that the caller agreed to, in credits. A dispatch that would cost anything else is refused. */
  readonly expectedCredits?: number;
  readonly idempotency?: AcceptedKey;
  readonly traceparent?: string;
}

/** How many jobs and charges a request makes beside its own: one for each item of a batch, else 0. */
export function batchSizeOf(workflow: Workflow, body: Readonly<Record<string, unknown>>): number {
  return itemsOf(workflow, body).length;
}

function itemsOf({ batch }: Workflow, body: DispatchRequest['body']): readonly Record<string, unknown>[] {
  const items = batch && body[batch.field];
  // Safe cast: the body was validated, and a batch's items are objects.
  return Array.isArray(items) ? (items as Record<string, unknown>[]) : [];
}

/**
 * Derives the id of an item's job, so that all processes that queue or void the job meet on one stream. Use it
 * only for a request that has no charge yet. Afterwards read the ids from the charges, and then from the
 * parent's JobQueued: an earlier release may have derived them differently.
 */
export function childJobId(parentJobId: string, index: number): string {
  return derivedId(`${parentJobId}/child/${index}`, timeOfId(parentJobId));
}

/** Names the charge of one item. The part before the dot is the request's id. */
export function childChargeId(requestId: string, index: number): string {
  return `${requestId}.${index}`;
}

/** A charge that a request makes, and the job that it pays for. */
export interface JobToCharge {
  readonly chargeId: string;
  readonly jobId: string;
  readonly parentJobId?: string;
}

/** The charges of a request: one for its job, or one for each item of its batch. */
export function jobsToCharge(
  workflow: Workflow,
  body: Readonly<Record<string, unknown>>,
  { requestId, jobId }: DispatchIds,
): JobToCharge[] {
  if (!workflow.batch) return [{ chargeId: requestId, jobId }];
  return Array.from({ length: batchSizeOf(workflow, body) }, (_, index) => ({
    chargeId: childChargeId(requestId, index),
    jobId: childJobId(jobId, index),
    parentJobId: jobId,
  }));
}

/** The jobs of a batch's items, in order, ready to queue. The parent's first event holds all that they need. */
export function childrenOf(parent: QueuedJob): QueuedJob[] {
  const workflow = workflowOf(parent.operation);
  if (!workflow.batch) return [];
  const { name, jobType, references } = workflowOf(workflow.batch.workflow);
  const reference = references.find((each) => 'input' in each);
  const items = itemsOf(workflow, parent.request);
  return items.map((item, index) => {
    const inputs = parent.inputs
      .filter((input) => input.name.endsWith(`-${index}`))
      .map((input) => ({ ...input, name: reference && 'input' in reference ? reference.input : input.name }));
    const about = personsOfJob([parent.request, item], inputs);
    return {
      jobId: parent.childJobIds?.[index] ?? childJobId(parent.jobId, index),
      tenant: parent.tenant,
      requestId: parent.requestId,
      chargeId: childChargeId(parent.requestId, index),
      operation: name,
      jobType,
      creditsCost: parent.creditsCost / items.length,
      displayName: parent.displayName,
      request: { ...item, ...outputOf(parent.request) },
      inputs,
      seed: parent.seed,
      parentJobId: parent.jobId,
      childIndex: index,
      ...(parent.imageModel !== undefined && { imageModel: parent.imageModel }),
      ...(parent.remote && { remote: true }),
      ...(parent.testOutcome && { testOutcome: parent.testOutcome }),
      at: parent.at,
      ...permitsOf(parent, about),
      ...about,
      ...keptForOf([parent.request, item]),
    };
  });
}

/** The permits of an item's persons, as its batch has them. */
function permitsOf(parent: QueuedJob, { dataSubjects = [] }: AboutPersons): Pick<QueuedJob, 'permits'> {
  if (!parent.permits || dataSubjects.length === 0) return {};
  const all = new Map(parent.dataSubjects?.map((name, index) => [name, parent.permits?.[index] ?? null]));
  return { permits: dataSubjects.map((name) => all.get(name) ?? null) };
}

/** What a body says of the files of its pictures, for the jobs of a batch as well. */
function outputOf({ output_format, max_bytes }: OutputFields): OutputFields {
  return { ...(output_format && { output_format }), ...(max_bytes !== undefined && { max_bytes }) };
}

/** The persons whom a request's body and its items name, and those of its pictures. */
export function personsOfRequest(
  workflow: Workflow,
  body: DispatchRequest['body'],
  inputs: readonly JobInputImage[],
): AboutPersons {
  return personsOfJob([body, ...itemsOf(workflow, body)], inputs);
}

function personsOfJob(
  bodies: readonly DispatchRequest['body'][],
  inputs: readonly JobInputImage[],
): AboutPersons {
  const named = bodies.flatMap(({ data_subject: name }) => (typeof name === 'string' ? [name] : []));
  return aboutPersons(named, ...inputs.map(({ dataSubjects }) => dataSubjects));
}

function keptForOf(bodies: readonly DispatchRequest['body'][]): KeptFor {
  return keptFor(...bodies.map(({ retain_days: days }) => (typeof days === 'number' ? days : undefined)));
}

/** Seeds fit a signed 32-bit integer, which every engine takes. */
const seedRange = 2 ** 31 - 1;

export function seedOf(body: DispatchRequest['body']): number {
  return typeof body['seed'] === 'number' ? body['seed'] : randomInt(seedRange);
}

/** The pictures of a job, the persons whom it is about, and what permits the use of their pictures. */
export type JobMaterial = Pick<QueuedJob, 'inputs' | 'dataSubjects' | 'permits'>;

/**
 * The job of a request, whose id the answer gives. The parent of a batch has no charge of its own; its children
 * have them.
 */
export function queuedJob(
  request: DispatchRequest,
  ids: DispatchIds,
  workflow: Workflow,
  charges: readonly (JobToCharge & { readonly amount: number })[],
  { inputs, ...about }: JobMaterial,
): QueuedJob {
  const { body } = request;
  const { batch } = workflow;
  const seed = seedOf(body);
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
    ...(request.imageModel === undefined ? {} : { imageModel: request.imageModel }),
    ...(request.remote && { remote: true }),
    ...(request.testOutcome === undefined ? {} : { testOutcome: request.testOutcome }),
    ...(request.idempotency && { idempotency: request.idempotency }),
    at: request.at.toISOString(),
    ...about,
    // The words of a batch are also those of its photographs.
    ...keptForOf([body, ...itemsOf(workflow, body)]),
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
