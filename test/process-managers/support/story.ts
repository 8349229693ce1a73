import type { AccountWriter } from '#application/account/account-writer.js';
import type { CommandContext } from '#application/command-context.js';
import { childrenOf } from '#application/dispatch/dispatched-jobs.js';
import { debitCredits } from '#domain/account/debit-credits.js';
import { type QueuedJob, queueJob } from '#domain/job/job.js';
import { cancelJob, failJob, startRender, succeedJob } from '#domain/job/render-job.js';
import type { EventStore } from '#event-store/event-store.js';
import { newId } from '#platform/ids.js';
import { decideOnJob } from '../../support/streams.js';

export type End = 'succeeded' | 'failed' | 'cancelled';
export const ends: readonly End[] = ['succeeded', 'failed', 'cancelled'];

const cost = 5;
const provenance = { engine: 'e', model: 'm', seed: 1, attempt: 1, renderMs: 1, inputHashes: [] };
const artifact = {
  assetId: 'a',
  storageKey: 'k',
  contentType: 'image/png',
  width: 1,
  height: 1,
  sha256: '00',
  kind: 'garment',
  role: 'final' as const,
  label: '',
  meta: {},
};

/** Writes the events of APIs and workers in `test` without either of them: fast, and in any state. */
export class Story {
  constructor(
    private readonly store: EventStore,
    private readonly accounts: AccountWriter,
    readonly tenant: string,
  ) {}

  /** A job that may be charged and queued. `at` is when. */
  single(at = new Date()): QueuedJob {
    const requestId = newId();
    return {
      jobId: newId(),
      tenant: this.tenant,
      requestId,
      chargeId: requestId,
      parentJobId: null,
      operation: 'model-generator',
      jobType: 'MODEL_GENERATOR',
      creditsCost: cost,
      displayName: '',
      request: {},
      inputs: [],
      seed: 1,
      at: at.toISOString(),
    };
  }

  /** The parent of a batch and its photographs. */
  batch(photographs: number): { readonly parent: QueuedJob; readonly children: readonly QueuedJob[] } {
    const request = { photos: Array.from({ length: photographs }, () => ({ pdp_image_public_id: newId() })) };
    const operation = 'pdp-batch-extractions';
    const jobType = 'PDP_BATCH_EXTRACTION';
    const own = { operation, jobType, creditsCost: cost * photographs, chargeId: null, request };
    const parent = { ...this.single(), ...own };
    const children = childrenOf(parent);
    return { parent: { ...parent, childJobIds: children.map(({ jobId }) => jobId) }, children };
  }

  async charge({ chargeId, requestId, jobId, operation, creditsCost: amount, at }: QueuedJob): Promise<void> {
    if (chargeId === null) throw new Error(`${jobId} has no charge of its own`);
    const endpoint = `/v1/${operation}`;
    const command = { chargeId, requestId, jobId, operation, endpoint, amount, at };
    const verdict = await this.accounts.execute(this.context(`debit:${chargeId}`), (account) =>
      debitCredits([command], account),
    );
    if (verdict.kind !== 'accepted') throw new Error(JSON.stringify(verdict));
  }

  queue(job: QueuedJob): Promise<void> {
    return this.append(job.jobId, `queue:${job.jobId}`, (state) => queueJob(job, state));
  }

  async end({ jobId }: QueuedJob, how: End): Promise<void> {
    const at = new Date().toISOString();
    if (how === 'cancelled') {
      return this.append(jobId, newId(), (state) => cancelJob({ reason: 'Enough.', at }, state));
    }
    await this.append(jobId, newId(), (state) => startRender({ worker: 'w', at }, state));
    const failure = { code: 'ENGINE_POLICY', message: '', attempt: 1, at } as const;
    const success = { message: '', artifacts: [artifact], provenance, at };
    await this.append(jobId, newId(), (state) =>
      how === 'failed' ? failJob(failure, state) : succeedJob(success, state),
    );
  }

  /** Charged, queued, and ended unless it goes on. */
  async told(how: End | 'goes-on', at?: Date): Promise<QueuedJob> {
    const job = this.single(at);
    await this.charge(job);
    await this.queue(job);
    if (how !== 'goes-on') await this.end(job, how);
    return job;
  }

  private append(jobId: string, commandId: string, decide: Parameters<typeof decideOnJob>[3]): Promise<void> {
    return decideOnJob(this.store, this.context(commandId), jobId, decide);
  }

  private context(commandId: string): CommandContext {
    const { tenant } = this;
    return { environment: 'test', tenant, commandId, requestId: commandId, actor: 'tests', at: new Date() };
  }
}
