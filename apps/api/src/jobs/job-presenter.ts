import { Injectable } from '@nestjs/common';
import type { JobView, TimelineEntry } from '#application/read-models.js';
import type { JobArtifact } from '#domain/job/job.events.js';
import { ObjectStorage } from '#storage/object-storage.js';
import type { JobDetail } from '#application/job/job-queries.handler.js';
import type { Artifact, JobDetailResponse, JobEventResponse, JobSummaryResponse } from './jobs.dto.js';

export function presentSummary(job: JobView): JobSummaryResponse {
  const { publicId, jobType, status, createdAt } = job;
  return { public_id: publicId, job_type: jobType, status, created_at: createdAt.toISOString() };
}

/** Puts jobs and their events into the words of the interface. URLs are made here, at the moment of reading. */
@Injectable()
export class JobPresenter {
  constructor(private readonly storage: ObjectStorage) {}

  async detail({ job, children }: JobDetail): Promise<JobDetailResponse> {
    const { creditsCost, requestId, parentJobId, result, startedAt, finishedAt, error } = job;
    return {
      ...presentSummary(job),
      credits_cost: creditsCost,
      request_id: requestId,
      parent_job_id: parentJobId,
      children: children.map(presentSummary),
      result: result && { artifacts: await this.artifacts(result) },
      latest_event: await this.event(job.latestEvent),
      started_at: startedAt?.toISOString() ?? null,
      finished_at: finishedAt?.toISOString() ?? null,
      error: error && { code: error.code, message: error.message },
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
      extra,
      created_at: typeof createdAt === 'string' ? createdAt : createdAt.toISOString(),
    };
  }

  private artifacts(artifacts: readonly JobArtifact[]): Promise<Artifact[]> {
    return Promise.all(
      artifacts.map(async ({ storageKey, kind, role, label, width, height, meta, assetId }) => ({
        image_url: await this.storage.presignGet(storageKey),
        kind,
        role,
        label,
        meta: { width, height, ...meta },
        s3_key: storageKey,
        asset_id: assetId,
      })),
    );
  }
}
