import { Injectable } from '@nestjs/common';
import type { Caller } from '#application/command-context.js';
import type { JobView, TimelineEntry } from '#application/read-models.js';
import type { JobArtifact } from '#domain/job/job.events.js';
import { shownMeta } from '../http/vocabulary.js';
import { shownSubjects } from '../uploads/data-subjects.js';
import { ServedPictures } from '../uploads/served-pictures.js';
import type { JobDetail } from '#application/job/job-queries.js';
import type {
  Artifact,
  ErasedArtifact,
  JobDetailResponse,
  JobEventResponse,
  JobSummaryResponse,
} from './jobs.dto.js';

// In a validated body, these fields are absent or have the type that the workflow declares.
const textOf = (field: unknown) => (typeof field === 'string' ? field : null);
const objectOf = (field: unknown) =>
  typeof field === 'object' ? (field as Record<string, unknown> | null) : null;

/** Converts jobs and their events into the form of the API. Their URLs are made at the time of the read. */
@Injectable()
export class JobPresenter {
  constructor(private readonly pictures: ServedPictures) {}

  async summary({ publicId, jobType, status, createdAt, result }: JobView): Promise<JobSummaryResponse> {
    const picture = result?.find(({ role, erasedAt }) => role === 'final' && erasedAt === undefined);
    return {
      public_id: publicId,
      job_type: jobType,
      status,
      created_at: createdAt.toISOString(),
      thumbnail_url: picture ? await this.pictures.thumbnailOf(picture.storageKey) : null,
    };
  }

  async detail({ job, order, children }: JobDetail, caller: Caller): Promise<JobDetailResponse> {
    const { creditsCost, requestId, parentJobId, displayName, result, startedAt, finishedAt, error } = job;
    const { seed = null } = order ?? {};
    // The order is on the log, where it is readable until its key is destroyed.
    const request = order && (job.erasedAt ? {} : order.request);
    return {
      ...(await this.summary(job)),
      credits_cost: creditsCost,
      request_id: requestId,
      parent_job_id: parentJobId,
      children: await Promise.all(children.map((child) => this.summary(child))),
      result: result && { artifacts: await this.artifacts(result), ...erasedOf(result) },
      // Its pictures are the result's: each is there once.
      latest_event: await this.event({ ...job.latestEvent, ...(result && { artifacts: [] }) }),
      started_at: startedAt?.toISOString() ?? null,
      finished_at: finishedAt?.toISOString() ?? null,
      error: error && { code: error.code, message: error.message },
      display_name: displayName,
      seed,
      // A job of an older release did not store its model. This is then the requested model, if there is one.
      image_model: job.imageModel ?? textOf(request?.['image_model'] ?? request?.['model']),
      metadata: objectOf(request?.['metadata']),
      pilot_brand: textOf(request?.['pilot_brand']),
      ...shownSubjects(job.dataSubjects, caller),
      request: request ?? null,
      ...(job.erasedAt && { erased_at: job.erasedAt.toISOString() }),
    };
  }

  async event(event: JobView['latestEvent'] | TimelineEntry): Promise<JobEventResponse> {
    const { seq, eventType, stage, message, artifacts, extra, createdAt } = event;
    return {
      seq,
      event_type: eventType,
      visibility: 'public',
      stage,
      message,
      artifacts: await this.artifacts(artifacts),
      ...erasedOf(artifacts),
      extra,
      created_at: typeof createdAt === 'string' ? createdAt : createdAt.toISOString(),
    };
  }

  private artifacts(artifacts: readonly JobArtifact[]): Promise<Artifact[]> {
    const shown = artifacts.filter(({ erasedAt }) => erasedAt === undefined);
    return Promise.all(
      shown.map(async ({ storageKey, kind, role, label, width, height, meta, assetId }) => ({
        ...(await this.pictures.shown(storageKey)),
        kind,
        role,
        label,
        meta: { width, height, ...shownMeta(meta) },
        s3_key: storageKey,
        asset_id: assetId,
      })),
    );
  }
}

/** The erased pictures among a job's; empty if there are none. */
function erasedOf(artifacts: readonly JobArtifact[]): { erased?: ErasedArtifact[] } {
  const erased = artifacts.flatMap(({ assetId, kind, role, erasedAt }) =>
    erasedAt === undefined ? [] : [{ asset_id: assetId, kind, role, erased_at: erasedAt }],
  );
  return erased.length > 0 ? { erased } : {};
}
