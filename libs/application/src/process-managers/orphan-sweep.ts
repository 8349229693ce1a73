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

/** Fence the job off, then give its charge back; or close the charge as the job, which is there, has ended. */
export interface GiveBack {
  readonly kind: 'give-back';
  readonly tenant: string;
  readonly chargeId: string;
  readonly jobId: string;
}

/**
 * What an open charge without a job, or of a job that has ended, means. Undefined: nothing yet, for the API that charged it
 * may be about to queue the job; only when it is older than the horizon does it count as orphaned.
 */
export function reactOfSweep(
  { tenant, chargeId, jobId, createdAt }: OrphanCandidate,
  { now, horizonMs }: { readonly now: Date; readonly horizonMs: number },
): GiveBack | undefined {
  if (now.getTime() - createdAt.getTime() <= horizonMs) return undefined;
  return { kind: 'give-back', tenant, chargeId, jobId };
}

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
  /** Ends the sweep after the page at hand. */
  readonly signal?: AbortSignal;
}

export interface SweepResult {
  readonly refunded: number;
  /** Closed as their job had ended: what had closed them before was lost, or never came. */
  readonly closed: number;
  /** Candidates whose job goes on after all. */
  readonly spared: number;
  readonly failed: number;
}

const actor = 'saga:orphan-sweep';

/**
 * Gives back what was charged for jobs that never came: a crash between the debit and JobQueued leaves such a charge.
 * Each is fenced off before it is refunded: JobVoided can only be the first event of a job's stream, so either it
 * gets there first and a late JobQueued must fail, or the job exists and its charge is not orphaned. Sweeps that run
 * at the same time write the same fence, and the second refund finds the charge closed.
 *
 * If the job exists and has ended, its charge is closed as the charge closer does it, by the very same event. That one may
 * have been lost behind the closer's checkpoint, which names the end of the job and fits the log all the same (ADR 31).
 * @throws what the reader throws; a candidate that fails is logged and left to the next sweep
 */
export async function sweepOrphans(options: OrphanSweepOptions): Promise<SweepResult> {
  const { clock, orphanHorizonMs: horizonMs, logger, environment } = options;
  const result = { refunded: 0, closed: 0, spared: 0, failed: 0 };
  const sweepOne = async (candidate: OrphanCandidate) => {
    try {
      const command = reactOfSweep(candidate, { now: clock(), horizonMs });
      if (!command) return;
      // What set the charge off may be long gone: giving it back is a trace of its own.
      const { tenant, jobId } = command;
      const attributes = {
        'atelier.environment': environment,
        'atelier.tenant': tenant,
        'atelier.job_id': jobId,
      };
      result[await inSpan('orphan-sweep', { attributes }, () => fenceOrClose(options, command))]++;
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
 * All that look orphaned, page by page behind a cursor: candidates that are spared, or fail each time, must not hide
 * those behind them.
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
  // Fixed for the whole walk, or charges that come of age meanwhile could keep it going for ever.
  const before = new Date(clock().getTime() - orphanHorizonMs);
  let last: Candidate | undefined;
  while (!signal?.aborted) {
    const page = await openCharges.openChargesOlderThan(before, sweepBatch, last);
    if (page.length > 0) yield page;
    if (page.length < sweepBatch) return;
    last = page.at(-1);
  }
}

async function fenceOrClose(
  { environment, commands, clock }: OrphanSweepOptions,
  { tenant, chargeId, jobId }: GiveBack,
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
