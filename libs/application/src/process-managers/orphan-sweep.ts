import { voidJob } from '#domain/job/queue-job.js';
import { streamName, type Environment } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import type { Clock } from '#platform/clock.js';
import type { Logger } from '#platform/logger.js';
import type { AccountWriter } from '../account/account-writer.js';
import { handle, untouched } from '../aggregate.js';
import { jobAggregate } from '../render/job-aggregate.js';
import { closeCharge } from './charge-closer.js';

/** A charge that is open although no job is known for it. */
export interface OrphanCandidate {
  readonly tenant: string;
  readonly chargeId: string;
  readonly jobId: string;
}

/** Where the sweep looks for candidates. It may be behind the log: the fence decides. */
export interface OpenCharges {
  openChargesOlderThan(before: Date, limit: number): Promise<readonly OrphanCandidate[]>;
}

export interface OrphanSweepOptions {
  readonly environment: Environment;
  readonly store: EventStore;
  readonly accounts: AccountWriter;
  readonly openCharges: OpenCharges;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How old a charge without a job must be before it counts as orphaned. */
  readonly orphanHorizonMs: number;
}

export interface SweepResult {
  readonly refunded: number;
  /** Candidates whose job exists after all. */
  readonly spared: number;
  readonly failed: number;
}

const actor = 'saga:orphan-sweep';
const candidatesPerSweep = 500;

/**
 * Gives back what was charged for jobs that never came: a crash between the debit and JobQueued leaves such a charge.
 * Each is fenced off before it is refunded: JobVoided can only be the first event of a job's stream, so either it
 * gets there first and a late JobQueued must fail, or the job exists and its charge is not orphaned. Sweeps that run
 * at the same time write the same fence, and the second refund finds the charge closed.
 * @throws what the reader throws; a candidate that fails is logged and left to the next sweep
 */
export async function sweepOrphans(options: OrphanSweepOptions): Promise<SweepResult> {
  const { openCharges, clock, orphanHorizonMs, logger, environment } = options;
  const before = new Date(clock().getTime() - orphanHorizonMs);
  const candidates = await openCharges.openChargesOlderThan(before, candidatesPerSweep);
  const result = { refunded: 0, spared: 0, failed: 0 };
  const sweepOne = async (candidate: OrphanCandidate) => {
    try {
      result[await fenceAndRefund(options, candidate)]++;
    } catch (error) {
      result.failed++;
      logger.error({ err: error, ...candidate }, 'an orphaned charge could not be given back yet');
    }
  };
  await Promise.all(candidates.map(sweepOne));
  if (result.refunded > 0) logger.warn({ environment, ...result }, 'orphaned charges were given back');
  return result;
}

async function fenceAndRefund(
  { environment, store, accounts, clock }: OrphanSweepOptions,
  { tenant, chargeId, jobId }: OrphanCandidate,
): Promise<'refunded' | 'spared'> {
  const at = clock();
  const caused = { environment, requestId: chargeId, actor, at };
  const fenced = await handle(
    store,
    streamName(environment, 'job', jobId),
    jobAggregate,
    (state) => voidJob({ chargeId, tenant, at: at.toISOString() }, state),
    { ...caused, tenant, commandId: `void:${jobId}` },
    untouched(jobAggregate),
  );
  if (fenced.kind === 'rejected') return 'spared';
  await closeCharge(accounts, { kind: 'refund', reason: 'orphaned', chargeId, tenant }, caused);
  return 'refunded';
}
