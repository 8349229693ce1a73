import type { Readable } from 'node:stream';
import { extname } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { JobDetail } from '#application/job/job-queries.js';
import { jsonFile, zipOf, type ZippedFile } from '#platform/zip-stream.js';
import { ApiError } from '../http/api-error.js';
import { ServedPictures } from '../uploads/served-pictures.js';

const absent: ReadonlySet<string> = new Set(['PICTURE_ERASED', 'PICTURE_GONE', 'RESOURCE_NOT_FOUND']);

/** The final pictures of a job, and of a batch's jobs, as a ZIP. Its last file, `pictures.json`, says what each is. */
@Injectable()
export class JobPictures {
  constructor(private readonly pictures: ServedPictures) {}

  zipOf(detail: JobDetail, at: Date): Readable {
    return zipOf(this.files(detail, at), at);
  }

  private async *files({ job, children }: JobDetail, at: Date): AsyncGenerator<ZippedFile> {
    const jobs = [job, ...children];
    const pictures: object[] = [];
    for (const { publicId, result } of jobs)
      for (const { storageKey, role, assetId, kind, label, width, height, contentType } of result ?? []) {
        if (role !== 'final') continue;
        const path = `${publicId}/${assetId}${extname(storageKey)}`;
        const found = await this.bytesOf(storageKey);
        const isThere = typeof found !== 'string';
        if (isThere) yield [path, found];
        pictures.push({
          file: isThere ? path : null,
          why_not: isThere ? null : found,
          job_id: publicId,
          asset_id: assetId,
          kind,
          label,
          width,
          height,
          content_type: contentType,
        });
      }
    const written_at = at.toISOString();
    const statuses = jobs.map(({ publicId, status }) => ({ job_id: publicId, status }));
    yield jsonFile('pictures.json', { written_at, jobs: statuses, pictures });
  }

  /** The bytes, or the code of the error that the picture's own URL answers with: it was erased, or is not there. */
  private async bytesOf(storageKey: string): Promise<Buffer | string> {
    try {
      return await this.pictures.bytesOf(storageKey);
    } catch (error) {
      const isAbsent = error instanceof ApiError && absent.has(error.code);
      if (isAbsent) return error.code;
      throw error;
    }
  }
}
