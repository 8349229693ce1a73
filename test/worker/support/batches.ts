import { toNewEvent } from '#application/command-context.js';
import { childrenOf } from '#application/dispatch/dispatched-jobs.js';
import type { QueuedJob } from '#domain/job/job.js';
import type {
  ArtifactKind,
  EnginePicture,
  ImageEngine,
  PartFailure,
  RenderContext,
  RenderRequest,
} from '@atelier/engine';
import { streamName } from '#domain/streams.js';
import { newId } from '#platform/ids.js';
import { Story } from '../../process-managers/support/story.js';
import { plainPicture } from './engines.js';
import type { Workshop } from './workshop.js';

export interface Batch {
  readonly tenant: string;
  readonly parent: QueuedJob;
  readonly children: readonly QueuedJob[];
}

/**
 * Writes the charges of a batch and the first events of its jobs. `children` missing: a dispatch that dies
 * right after it has queued the parent.
 */
export async function dispatchBatch(
  workshop: Workshop,
  photos: number,
  missing: 'none' | 'children' = 'none',
): Promise<Batch> {
  const tenant = await workshop.tenantWith(100);
  const [requestId, jobId] = [newId(), newId()];
  const at = new Date().toISOString();
  const uploads = await Promise.all(
    Array.from({ length: photos }, async (_, index) => {
      const picture = await plainPicture('person', `rgb(${index},9,9)`);
      return workshop.upload(tenant, picture);
    }),
  );
  const parent: QueuedJob = {
    jobId,
    tenant,
    requestId,
    chargeId: null,
    parentJobId: null,
    displayName: '',
    seed: 7,
    at,
    operation: 'pdp-batch-extractions',
    jobType: 'PDP_BATCH_EXTRACTION',
    creditsCost: 4 * photos,
    request: {
      photos: uploads.map(({ assetId }, index) => ({
        pdp_image_public_id: assetId,
        product_name: `${index}`,
      })),
    },
    inputs: uploads.map(({ assetId, storageKey, sha256 }, index) => {
      return { name: `photo-${index}`, assetId, storageKey, sha256 };
    }),
  };
  const children = childrenOf(parent);
  const queued = { ...parent, childJobIds: children.map((child) => child.jobId) };
  const story = new Story(workshop.store, workshop.accounts, tenant);
  for (const child of children) await story.charge(child);
  for (const job of missing === 'children' ? [queued] : [queued, ...children]) await queue(workshop, job);
  return { tenant, parent: queued, children };
}

/** Does nothing if a process manager has queued the job before. */
async function queue(workshop: Workshop, job: QueuedJob): Promise<void> {
  const context = workshop.context(job.tenant, `queue:${job.jobId}`);
  const event = toNewEvent({ type: 'JobQueued', data: job }, 0, context);
  await workshop.store.append(streamName('test', 'job', job.jobId), 'no-stream', [event]);
}

/** Reads batches: each arm that is requested gives one picture of that kind. Keeps every request. */
export class BatchEngine implements ImageEngine {
  readonly name = 'batch';
  readonly asked: RenderRequest[] = [];

  constructor(
    /**
     * The indices of photographs that share a person, the indices of those that share a place, and the parts
     * that cannot be extracted.
     */
    private readonly groups: {
      readonly person?: number[];
      readonly location?: number[];
      readonly failures?: readonly PartFailure[];
    },
    /** Runs before a pass gives its result; `photo` is undefined in the parent's pass. */
    private readonly before: (
      photo: number | undefined,
      context: RenderContext,
    ) => Promise<unknown> | undefined = () => undefined,
  ) {}

  async render(request: RenderRequest, context: RenderContext) {
    this.asked.push(request);
    const isParent = request.workflow === 'pdp-batch-extractions';
    await this.before(isParent ? undefined : Number(request.body['product_name']), context);
    const pictures = await (isParent ? this.grouping() : armsOf(request));
    const failures = (isParent && this.groups.failures) || [];
    return { pictures, failures, message: 'Read', model: 'batch-1' };
  }

  private async grouping(): Promise<EnginePicture[]> {
    const { person, location } = this.groups;
    const shared = async (kind: ArtifactKind, axis: string, members?: number[]) =>
      members ? [{ ...(await plainPicture(kind)), meta: { axis, member_indices: members } }] : [];
    return [
      await plainPicture('grouping'),
      ...(await shared('person', 'person', person)),
      ...(await shared('background_plate', 'location', location)),
    ];
  }
}

function armsOf({ body }: RenderRequest): Promise<EnginePicture[]> {
  const arms = body['arms'] as ArtifactKind[];
  return Promise.all(arms.map((arm) => plainPicture(arm)));
}
