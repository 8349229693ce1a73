import type { ProjectedEvent } from '#read-store/projected-event.js';
import type { ReadModel } from '#read-store/read-model.js';
import { RenderRow } from './renders.entity.js';

export const rendersReadModel: ReadModel<RenderRow> = {
  name: 'renders',
  version: 1,
  entity: RenderRow,
  categories: ['job'],
  keyOf: (event) => (concerns(event) ? [event.streamId] : undefined),
  evolve,
};

function concerns({ type }: ProjectedEvent): boolean {
  return type === 'JobQueued' || type === 'JobSucceeded' || type === 'JobFailed' || type === 'JobCancelled';
}

function evolve(row: RenderRow | undefined, event: ProjectedEvent): RenderRow | undefined {
  switch (event.type) {
    case 'JobQueued':
      return {
        publicId: event.data.jobId,
        tenant: event.data.tenant,
        jobType: event.data.jobType,
        label: null,
        kind: null,
        width: null,
        height: null,
        storageKey: null,
        assetId: null,
        contentType: null,
        sha256: null,
        createdAt: null,
      };
    case 'JobSucceeded':
      return finished(row, event);
    case 'JobFailed':
    case 'JobCancelled':
      return undefined;
    default:
      throw new Error(`${event.type} does not belong in the renders gallery`);
  }
}

/** A job has one identity in the gallery, so its first final picture stands for it. */
function finished(
  row: RenderRow | undefined,
  event: Extract<ProjectedEvent, { type: 'JobSucceeded' }>,
): RenderRow | undefined {
  if (!row) throw new Error(`JobSucceeded came before JobQueued in ${event.stream}`);
  const picture = event.data.artifacts.find((artifact) => artifact.role === 'final');
  if (!picture) return undefined;
  const { label, kind, width, height, storageKey, assetId, contentType, sha256 } = picture;
  const createdAt = new Date(event.data.at);
  return { ...row, label, kind, width, height, storageKey, assetId, contentType, sha256, createdAt };
}
