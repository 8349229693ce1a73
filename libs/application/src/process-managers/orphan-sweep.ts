import type { CommandBus } from '@nestjs/cqrs';
import type { OrphanCandidate, OpenCharges } from '#application/read-models.js';
import { requestIdOfCharge } from '#domain/account/account.events.js';
import type { Environment } from '#domain/streams.js';
import type { Clock } from '#platform/clock.js';
import { defaults } from '#platform/configuration.js';
import type { Logger } from '#platform/logger.js';
import { inSpan } from '#platform/tracing.js';
import { CloseCharge } from '../account/charges.handler.js';
import { untouched } from '../aggregate.js';
import { FenceJob, jobAggregate } from '../job/job-writes.handler.js';
import { endOfCharge } from './charge-closer.js';

export interface OrphanSweepOptions {
  readonly environment: Environment;
  readonly commands: CommandBus;
  readonly openCharges: OpenCharges;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How old a charge without a job must be before it counts as orphaned. */
  readonly orphanHorizonMs: number;
  /** Candidates that are fetched and worked on together. */
  readonly sweepBatch?: number | undefined;
  /** Ends the sweep after the current page. */
  readonly signal?: AbortSignal;
}

export interface SweepResult {
  readonly refunded: number;
  /** Charges of jobs that had ended: the event that closed the charge was lost, or never written. */
  readonly closed: number;
  /** Candidates whose job goes on after all. */
  readonly spared: number;
  readonly failed: number;
}

const actor = 'saga:orphan-sweep';

/**
 * Refunds charges whose jobs never came. A crash between the debit and JobQueued leaves such a charge. The
 * sweep fences the job off before it refunds: JobVoided can only be the first event of a job's stream. Either
 * it comes first, and a late JobQueued fails; or the job exists, and its charge is not orphaned. Parallel
 * sweeps write the same fence, and the second refund finds the charge closed.
 *
 * If the job exists and has ended, the sweep closes the charge with the same event as the charge closer. That
 * event may have been lost behind the closer's checkpoint, which names the end of the job and fits the log all
 * the same (ADR 31).
 * @throws the reader's errors; a candidate that fails is logged and left to the next sweep
 */
export async function sweepOrphans(options: OrphanSweepOptions): Promise<SweepResult> {
  const { logger, environment } = options;
  const result = { refunded: 0, closed: 0, spared: 0, failed: 0 };
  const sweepOne = async (candidate: OrphanCandidate) => {
    try {
      // The request that made the charge may have ended long ago, so the refund is a trace of its own.
      const attributes = {
        'atelier.environment': environment,
        'atelier.tenant': candidate.tenant,
        'atelier.job_id': candidate.jobId,
      };
      result[await inSpan('orphan-sweep', { attributes }, () => fenceOrClose(options, candidate))]++;
    } catch (error) {
      result.failed++;
      logger.error({ err: error, ...candidate }, 'an open charge could not be closed yet');
    }
  };
  for await (const candidates of orphanCandidates(options)) await Promise.all(candidates.map(sweepOne));
  if (result.refunded > 0) logger.warn({ environment, ...result }, 'orphaned charges were given back');
  if (result.closed > 0)
    logger.warn(
      { environment, ...result },
      'charges that stayed open after the end of their job were closed',
    );
  return result;
}

/**
 * All orphan candidates, page by page behind a cursor. Without the cursor, candidates that are spared or fail
 * each time would hide the later ones.
 */
export async function* orphanCandidates<Candidate extends OrphanCandidate>({
  openCharges,
  clock,
  orphanHorizonMs,
  sweepBatch = defaults.sweepBatch,
  signal,
}: Pick<OrphanSweepOptions, 'clock' | 'orphanHorizonMs' | 'sweepBatch' | 'signal'> & {
  readonly openCharges: OpenCharges<Candidate>;
}): AsyncGenerator<readonly Candidate[]> {
  // Fixed for the whole walk; otherwise charges that reach the horizon meanwhile could make it endless.
  const before = new Date(clock().getTime() - orphanHorizonMs);
  let last: Candidate | undefined;
  while (!signal?.aborted) {
    const page = await openCharges.openChargesOlderThan(before, sweepBatch, last);
    if (page.length > 0) yield page;
    if (page.length < sweepBatch) return;
    last = page.at(-1);
  }
}

/** Fences the job off and refunds its charge; or, if the job exists and has ended, closes the charge accordingly. */
async function fenceOrClose(
  { environment, commands, clock }: OrphanSweepOptions,
  { tenant, chargeId, jobId }: OrphanCandidate,
): Promise<'refunded' | 'closed' | 'spared'> {
  const caused = { environment, requestId: requestIdOfCharge(chargeId), actor, at: clock() };
  const context = { ...caused, tenant, commandId: `void:${jobId}` };
  const fence = new FenceJob(context, jobId, { chargeId }, untouched(jobAggregate));
  const { kind, state } = await commands.execute(fence);
  const end = endOfCharge(state.status, { chargeId, tenant });
  if (!end) return 'spared';
  await commands.execute(new CloseCharge(end, caused));
  return kind === 'accepted' ? 'refunded' : 'closed';
}
