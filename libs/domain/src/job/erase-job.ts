import { accept, reject, type Decision } from '../decision.js';
import { erasedText } from '../erased.js';
import type { EventOfType } from '../events.js';
import type { JobArtifact, JobEvent } from './job.events.js';
import { erasedOf, isUnfinished, type Job } from './job.js';

export type EraseRejection = { readonly code: 'JOB_NOT_FOUND' | 'JOB_UNFINISHED' };

/**
 * Erases pictures of a job, and its words if `words`, which a job only loses once it has ended. Erasing them again changes
 * nothing.
 */
export function eraseJob(
  command: EventOfType<'JobErased'>['data'],
  job: Job,
): Decision<JobEvent, EraseRejection> {
  if (!('job' in job) || job.job.tenant !== command.tenant) return reject({ code: 'JOB_NOT_FOUND' });
  if (isUnfinished(job) && command.words) return reject({ code: 'JOB_UNFINISHED' });
  const { assetIds: known, wordsAt } = erasedOf(job);
  const assetIds = command.assetIds.filter((id) => !known.includes(id));
  const words = command.words && wordsAt === undefined;
  const { describedAssetIds, ...erased } = command;
  const described = describedAssetIds && { describedAssetIds };
  return words || assetIds.length > 0
    ? accept({ type: 'JobErased', data: { ...erased, assetIds, words, ...(words && described) } })
    : accept();
}

/** The artifacts of a row without what JobErased erased. */
export function erasedArtifacts(
  artifacts: readonly JobArtifact[],
  { assetIds, words, at }: EventOfType<'JobErased'>['data'],
): JobArtifact[] {
  return artifacts.map((artifact) => {
    const isErased = assetIds.includes(artifact.assetId);
    if (!isErased && !words) return artifact;
    const kept = { ...artifact, sha256: erasedText, label: erasedText, meta: {} };
    return isErased ? { ...kept, erasedAt: artifact.erasedAt ?? at } : kept;
  });
}
