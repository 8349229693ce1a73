import type { DomainEvent, EventOfType } from '#domain/events.js';
import type { JobArtifact } from '#domain/job/job.events.js';
import { streamName, type StreamCategory } from '#domain/streams.js';
import type { EventMetadata } from '#event-store/event-store.js';
import { toProjectedEvent, type ProjectedEvent } from '#read-store/projected-event.js';
import { newEvent } from '#read-store/testing/read-store-fixture.js';

/** Second `n` of a fixed day. */
export function at(second: number): string {
  return new Date(Date.UTC(2026, 5, 1, 12, 0, second)).toISOString();
}

export function artifact(role: JobArtifact['role'], label = 'On model'): JobArtifact {
  return {
    assetId: `asset-of-${label}`,
    storageKey: `renders/${label}.png`,
    contentType: 'image/png',
    width: 1024,
    height: 1536,
    sha256: 'ab'.repeat(32),
    kind: 'on_model_render',
    role,
    label,
    meta: { crop: 'full' },
  };
}

export function queued(
  jobId: string,
  tenant: string,
  more: Partial<EventOfType<'JobQueued'>['data']> = {},
): EventOfType<'JobQueued'> {
  return {
    type: 'JobQueued',
    data: {
      jobId,
      tenant,
      requestId: `request-of-${jobId}`,
      chargeId: `request-of-${jobId}`,
      operation: 'model-generator',
      jobType: 'MODEL_GENERATOR',
      creditsCost: 5,
      displayName: 'Asha',
      request: { gender: 'FEMALE' },
      inputs: [],
      seed: 7,
      parentJobId: null,
      at: at(0),
      ...more,
    },
  };
}

/** An upload, or the picture of a job. */
export function stored(
  assetId: string,
  more: Partial<EventOfType<'AssetStored'>['data']> = {},
): EventOfType<'AssetStored'> {
  return {
    type: 'AssetStored',
    data: {
      assetId,
      tenant: 'acme',
      storageKey: `uploads/${assetId}.png`,
      contentType: 'image/png',
      width: 800,
      height: 600,
      sizeBytes: 26_214_400,
      sha256: 'ab'.repeat(32),
      origin: 'upload',
      jobId: null,
      at: at(4),
      ...more,
    },
  };
}

export function entryRetired(assetId: string, second = 4): EventOfType<'CatalogEntryRetired'> {
  return {
    type: 'CatalogEntryRetired',
    data: { assetId, tenant: 'acme', reason: 'dated', at: at(second) },
  };
}

export const renderStarted: EventOfType<'RenderStarted'> = {
  type: 'RenderStarted',
  data: { attempt: 1, worker: 'worker-1', at: at(1) },
};

export const startedAgain: EventOfType<'RenderStarted'> = {
  type: 'RenderStarted',
  data: { attempt: 2, worker: 'worker-2', at: at(2) },
};

export const stageCompleted: EventOfType<'StageCompleted'> = {
  type: 'StageCompleted',
  data: { stage: 'pose', message: 'Posed.', artifacts: [artifact('intermediate', 'Pose')], at: at(3) },
};

export const succeeded: EventOfType<'JobSucceeded'> = {
  type: 'JobSucceeded',
  data: {
    message: 'Finished.',
    artifacts: [artifact('intermediate', 'Sketch'), artifact('final')],
    provenance: {
      engine: 'sketch',
      model: 'sketch-1',
      seed: 7,
      attempt: 1,
      renderMs: 900,
      inputHashes: ['cd'],
    },
    at: at(4),
  },
};

export const failed: EventOfType<'JobFailed'> = {
  type: 'JobFailed',
  data: { code: 'ENGINE_POLICY', message: 'The picture was refused.', attempt: 1, at: at(4) },
};

export const cancelled: EventOfType<'JobCancelled'> = {
  type: 'JobCancelled',
  data: { reason: 'Cancelled by the caller.', at: at(4) },
};

export const voided: EventOfType<'JobVoided'> = {
  type: 'JobVoided',
  data: { chargeId: 'charge', reason: 'orphaned', tenant: 'acme', at: at(4) },
};

export function purchased(
  amount: number,
  second = 0,
  purchaseId = `pack-${second}`,
): EventOfType<'CreditsPurchased'> {
  return {
    type: 'CreditsPurchased',
    data: { purchaseId, kind: 'pack', amount, label: 'Starter pack', at: at(second) },
  };
}

/** The charge of a request; `request.1` is the second charge of the request `request`. */
export function debited(chargeId: string, amount: number, second = 0): EventOfType<'CreditsDebited'> {
  const requestId = chargeId.split('.')[0]!;
  const jobId = `job-of-${chargeId}`;
  const operation = 'model-generator';
  const endpoint = '/v1/model-generator';
  return {
    type: 'CreditsDebited',
    data: { chargeId, requestId, jobId, operation, endpoint, amount, at: at(second) },
  };
}

export function settled(chargeId: string, amount: number, second = 5): EventOfType<'CreditsSettled'> {
  return { type: 'CreditsSettled', data: { chargeId, jobId: `job-of-${chargeId}`, amount, at: at(second) } };
}

export function refunded(chargeId: string, amount: number, second = 5): EventOfType<'CreditsRefunded'> {
  const jobId = `job-of-${chargeId}`;
  return { type: 'CreditsRefunded', data: { chargeId, jobId, amount, reason: 'job-failed', at: at(second) } };
}

export function rejected(requestId: string, second = 0): EventOfType<'RequestRejected'> {
  return {
    type: 'RequestRejected',
    data: {
      requestId,
      operation: 'model-generator',
      endpoint: '/v1/model-generator',
      method: 'POST',
      httpStatus: 402,
      errorCode: 'INSUFFICIENT_BALANCE',
      errorMessage: 'The balance is too low.',
      latencyMs: 3,
      at: at(second),
    },
  };
}

/**
 * The events as a projection gets them when they are all from one stream.
 * @param more additional metadata
 */
export function inStream(
  category: StreamCategory,
  id: string,
  events: readonly DomainEvent[],
  more: Partial<EventMetadata> = {},
): ProjectedEvent[] {
  return events.map((event, index) =>
    toProjectedEvent({
      ...newEvent(event, 'acme', more),
      stream: streamName('live', category, id),
      revision: BigInt(index),
      position: BigInt(index + 1),
    }),
  );
}
