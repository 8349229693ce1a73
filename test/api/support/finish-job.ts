import { refundCharge, settleCharge } from '#domain/account/close-charge.js';
import { completeStage, failJob as fail, startRender, succeedJob } from '#domain/job/render-job.js';
import type { JobArtifact } from '#domain/job/job.events.js';
import { newId } from '#platform/ids.js';
import { decideOnJob } from '../../support/streams.js';
import { contextOf, type ApiService, type Tenant } from './api-service.js';

const at = () => new Date().toISOString();

/** Decides on a tenant's job, and appends what follows. */
export const decideFor = (
  { store }: ApiService,
  { environment, id }: Tenant,
  ...decision: [jobId: string, decide: Parameters<typeof decideOnJob>[3]]
) => decideOnJob(store, contextOf(environment, id), ...decision);

/** A worker takes the job up and reports a stage. */
export async function startJob(service: ApiService, tenant: Tenant, jobId: string): Promise<void> {
  await decideFor(service, tenant, jobId, (job) => startRender({ worker: 'w', at: at() }, job));
  const stage = { stage: 'croquis', message: 'Sketched', artifacts: [artifact(tenant, 'intermediate')] };
  await decideFor(service, tenant, jobId, (job) => completeStage({ ...stage, attempt: 1, at: at() }, job));
}

/** @returns the picture that it has made then */
export async function finishJob(service: ApiService, tenant: Tenant, jobId: string): Promise<JobArtifact> {
  const provenance = {
    engine: 'sketch',
    model: 'sketch-1',
    seed: 1,
    attempt: 1,
    renderMs: 5,
    inputHashes: [],
  };
  const made = artifact(tenant, 'final');
  const data = { message: 'Done', artifacts: [made], provenance, at: at() };
  await decideFor(service, tenant, jobId, (job) => succeedJob(data, job));
  return made;
}

export async function failJob(service: ApiService, tenant: Tenant, jobId: string): Promise<void> {
  const data = { code: 'ENGINE_POLICY', message: 'Not allowed', attempt: 1, at: at() } as const;
  await decideFor(service, tenant, jobId, (job) => fail(data, job));
}

/** Closes the charge as the process manager does once the job is over. */
export async function closeCharge(
  service: ApiService,
  { environment, id }: Tenant,
  chargeId: string,
  how: 'settle' | 'refund',
): Promise<void> {
  await service.accounts.execute(contextOf(environment, id), (account) =>
    how === 'settle'
      ? settleCharge({ chargeId, at: at() }, account)
      : refundCharge({ chargeId, reason: 'job-failed', at: at() }, account),
  );
}

function artifact({ environment, id }: Tenant, role: JobArtifact['role']): JobArtifact {
  const assetId = newId();
  return {
    assetId,
    storageKey: `${environment}/${id}/renders/${assetId}.png`,
    contentType: 'image/png',
    width: 64,
    height: 96,
    sha256: '0'.repeat(64),
    kind: 'model_portrait',
    role,
    label: 'Portrait',
    meta: drawnPerson,
  };
}

/** The facts of a composed picture that a dispatch needs. */
export const drawnPerson = { seed: 1, gender: 'FEMALE', view: {}, wearer: {}, silhouettes: {} };
