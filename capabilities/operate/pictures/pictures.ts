import { ObjectStorageModule } from '#adapters/object-storage.module.js';
import { readForwards } from '#application/aggregate.js';
import type { JobArtifact } from '#domain/job/job.events.js';
import { decode } from '#domain/stored-events.js';
import { streamName } from '#domain/streams.js';
import { systemClock } from '#platform/clock.js';
import { ObjectStorage } from '#storage/object-storage.js';
import { ThumbnailSigner } from '#storage/thumbnail-signer.js';
import { IdField, TextField } from '#validation/fields.js';
import { defineCall } from '#operator-calls/call.js';
import { PageInEnvironment, printRest } from '#operator-calls/input.js';
import { OneJob, pageOfJobs, requireJob } from '../jobs/jobs.js';
import type { Operator } from '#operator-calls/operator.js';
import { printTable } from '#operator-calls/output.js';

/** URLs that anyone may use until they expire. They are made at each read. */
async function urlsOf(operator: Operator, storageKey: string) {
  const url = await operator.get(ObjectStorage).presignGet(storageKey);
  const thumbnails = new ThumbnailSigner(operator.configuration, systemClock).of(storageKey);
  return { url, thumbnail_url: thumbnails?.[512] ?? url };
}

/** The origins of the URLs. Pages that show the pictures have to allow them. */
export async function pictureOrigins(operator: Operator): Promise<string[]> {
  const { url, thumbnail_url: thumbnail } = await urlsOf(operator, 'live/any.png');
  return [...new Set([url, thumbnail].map((each) => new URL(each).origin))];
}

async function describePicture(operator: Operator, artifact: JobArtifact) {
  const { assetId, storageKey, kind, role, label, width, height, sha256 } = artifact;
  const urls = await urlsOf(operator, storageKey);
  return { asset_id: assetId, kind, role, label, width, height, sha256, ...urls };
}

class SoughtPictures extends PageInEnvironment {
  @IdField({ description: 'Only those of this tenant.' })
  tenant?: string;

  @TextField({ description: 'Only those of this workflow.', min: 1, max: 64 })
  workflow?: string;

  @TextField({ description: 'Only those of this image model.', min: 1, max: 64 })
  model?: string;
}

export const listPictures = defineCall({
  name: 'pictures list',
  route: 'GET /pictures',
  may: ['read'],
  summary: 'The finished pictures of all tenants, the latest first, with URLs that expire',
  input: SoughtPictures,
  features: [ObjectStorageModule],
  async run(operator, sought) {
    const { found, total } = await pageOfJobs(operator, { ...sought, status: 'SUCCESS' });
    const jobs = [];
    for (const { env, row } of found) {
      const finals = (row.result ?? []).filter(({ role }) => role === 'final');
      jobs.push({
        job_id: row.publicId,
        env,
        tenant_id: row.tenant,
        workflow: row.operation,
        model: row.imageModel,
        parent_job_id: row.parentJobId,
        created_at: row.createdAt,
        pictures: await Promise.all(finals.map((each) => describePicture(operator, each))),
      });
    }
    return { jobs, total };
  },
  print: ({ jobs, total }, { offset }) => {
    const rows = jobs.flatMap(({ pictures, ...job }) => pictures.map((picture) => ({ ...job, ...picture })));
    printTable(rows, {
      picture: (row) => row.asset_id,
      kind: (row) => row.kind,
      size: (row) => `${row.width} × ${row.height}`,
      job: (row) => row.job_id,
      environment: (row) => row.env,
      tenant: (row) => row.tenant_id,
      workflow: (row) => row.workflow,
    });
    printRest(offset + jobs.length, total);
  },
});

/** Lists pictures in the order in which they came, each with the revision of its event. */
export const showPictures = defineCall({
  name: 'jobs pictures',
  route: 'GET /jobs/:job/pictures',
  may: ['read'],
  summary: 'The inputs and the result of a job, with URLs that expire, and where the result came from',
  input: OneJob,
  features: [ObjectStorageModule],
  async run(operator, { job: jobId }) {
    const { env, job } = await requireJob(operator, jobId);
    const made = [];
    let provenance = null;
    for await (const page of readForwards(operator.store, streamName(env, 'job', jobId), 0n))
      for (const recorded of page) {
        const { type, data } = decode(recorded);
        if (type !== 'StageCompleted' && type !== 'JobSucceeded') continue;
        if (type === 'JobSucceeded') ({ provenance } = data);
        for (const each of data.artifacts)
          made.push({ revision: Number(recorded.revision), ...(await describePicture(operator, each)) });
      }
    const given = [];
    for (const { name, assetId, storageKey, sha256 } of job.inputs)
      given.push({ name, asset_id: assetId, sha256, ...(await urlsOf(operator, storageKey)) });
    return { job_id: jobId, env, given, made, provenance };
  },
  print: ({ given, made }) => {
    printTable(given, { given: (each) => each.name, picture: (each) => each.asset_id });
    printTable(made, {
      revision: (each) => each.revision,
      kind: (each) => each.kind,
      role: (each) => each.role,
      picture: (each) => each.asset_id,
      url: (each) => each.url,
    });
  },
});
