import { z } from 'zod';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Json } from './own-api.js';
import { id, resultOf, untrusted } from './results.js';

const picture = z.object({
  kind: z.string(),
  asset_id: z.string().describe('Works in every picture field of another order.'),
  image_url: z.string().describe('The whole picture: a short-lived URL.'),
});

/** A job as tools show it. */
export const shownJob = z.object({
  job_id: id('The job.'),
  job_type: z.string(),
  status: z.enum(['NOT_STARTED', 'IN_PROGRESS', 'SUCCESS', 'FAILURE']),
  credits_cost: z.number().int().describe('Charged when ordered; given back if the job fails.'),
  created_at: z.string(),
  finished_at: z.string().nullable(),
  error_code: z.string().nullable().describe('Why it failed.'),
  pictures: z.array(picture),
  untrusted_text: z
    .object({ display_name: z.string(), error_message: z.string().nullable() })
    .describe(untrusted),
});

export const hasEnded = ({ status }: Json): boolean => status === 'SUCCESS' || status === 'FAILURE';

/** @param job a JobDetailResponse */
export function showJob(job: Json): z.infer<typeof shownJob> {
  const artifacts: Json[] = job.result?.artifacts ?? [];
  return {
    job_id: job.public_id,
    job_type: job.job_type,
    status: job.status,
    credits_cost: job.credits_cost,
    created_at: job.created_at,
    finished_at: job.finished_at ?? null,
    error_code: job.error?.code ?? null,
    pictures: artifacts
      .filter(({ role }) => role === 'final')
      .map(({ kind, asset_id, image_url }) => ({ kind, asset_id, image_url })),
    untrusted_text: { display_name: job.display_name, error_message: job.error?.message ?? null },
  };
}

/** The job, with a link to a small copy of its picture if it has one. */
export function jobResult(job: Json): CallToolResult {
  const shown = showJob(job);
  if (shown.pictures.length === 0) return resultOf(shown);
  const uri = `atelier://pictures/${shown.job_id}`;
  return resultOf(shown, [{ type: 'resource_link', uri, name: shown.job_id, mimeType: 'image/webp' }]);
}
