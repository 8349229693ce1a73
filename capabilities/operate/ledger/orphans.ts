import { CommandBus } from '@nestjs/cqrs';
import { load } from '#application/aggregate.js';
import { jobAggregate } from '#application/job/job-writes.handler.js';
import { orphanCandidates, sweepOrphans } from '#application/process-managers/orphan-sweep.js';
import { StreamCommandsModule } from '#application/stream-commands.module.js';
import { isUnfinished } from '#domain/job/job.js';
import { streamName, type Environment } from '#domain/streams.js';
import { systemClock } from '#platform/clock.js';
import { createLogger } from '#platform/logger.js';
import type { OverdueCharge } from '#projections/ledger/ledger.reader.js';
import { IntegerField } from '#validation/fields.js';
import { ledgerOf } from '#operator-calls/ledger-of.js';
import { defineCall } from '#operator-calls/call.js';
import { InEnvironment, environmentsOf } from '#operator-calls/input.js';
import type { Operator } from '#operator-calls/operator.js';
import { printLine, printTable } from '#operator-calls/output.js';
import { CallRefused } from '#operator-calls/call-refused.js';

class Horizon extends InEnvironment {
  @IntegerField({
    description: 'How old they must be, in milliseconds. Default: ATELIER_ORPHAN_HORIZON_MS.',
    min: 0,
    max: 7 * 86_400_000,
  })
  horizon?: number;
}

interface Orphan extends OverdueCharge {
  readonly environment: Environment;
  /** True if its job is fenced off already, and only the refund is missing. */
  readonly fenced: boolean;
  /** How its job ended; null: it has none. */
  readonly ended: 'succeeded' | 'failed' | 'cancelled' | null;
}

/**
 * Changes nothing. The read models suggest orphans, and the job's own stream confirms each one before it is
 * shown.
 */
export const listOrphans = defineCall({
  name: 'orphans list',
  route: 'GET /orphans',
  may: ['read'],
  summary: 'Open charges older than the horizon whose job is missing or has ended',
  input: Horizon,
  typed: { horizon: 'duration' },
  async run(operator, { env, horizon }) {
    const horizonMs = horizon ?? operator.configuration.projector.orphanHorizonMs;
    const found: Orphan[] = [];
    for (const environment of environmentsOf(env))
      found.push(...(await orphansIn(operator, environment, horizonMs)));
    const now = systemClock().getTime();
    const orphans = found.map(
      ({ environment, tenant, chargeId, jobId, amount, createdAt, fenced, ended }) => ({
        env: environment,
        tenant_id: tenant,
        charge_id: chargeId,
        job_id: jobId,
        credits: amount,
        charged_at: createdAt.toISOString(),
        age_seconds: Math.floor((now - createdAt.getTime()) / 1000),
        fenced,
        ended,
      }),
    );
    return { horizon_ms: horizonMs, orphans };
  },
  print({ horizon_ms, orphans }) {
    if (orphans.length === 0)
      return printLine(
        `No open charge whose job is missing or has ended is older than ${horizon_ms / 1000} s.`,
      );
    printTable(orphans, {
      environment: (orphan) => orphan.env,
      tenant: (orphan) => orphan.tenant_id,
      charge: (orphan) => orphan.charge_id,
      job: (orphan) => orphan.job_id,
      credits: (orphan) => orphan.credits,
      age: (orphan) => `${orphan.age_seconds} s`,
      fenced: (orphan) => orphan.fenced,
      ended: (orphan) => orphan.ended ?? '',
    });
  },
});

async function orphansIn(
  operator: Operator,
  environment: Environment,
  orphanHorizonMs: number,
): Promise<Orphan[]> {
  const openCharges = await ledgerOf(operator, environment);
  const orphans: Orphan[] = [];
  for await (const page of orphanCandidates({ openCharges, clock: systemClock, orphanHorizonMs })) {
    const jobs = await Promise.all(
      page.map(({ jobId }) => load(operator.store, streamName(environment, 'job', jobId), jobAggregate)),
    );
    page.forEach((candidate, index) => {
      const job = jobs[index]?.state;
      if (!job || isUnfinished(job)) return;
      const fenced = job.status === 'voided';
      orphans.push({ ...candidate, environment, fenced, ended: 'job' in job ? job.status : null });
    });
  }
  return orphans;
}

/** A dispatch that is under way must have the time to queue its job. */
const leastHorizonMs = 1_000;

/**
 * Does the projector's work beside it. If both sweep the same charge, the second one finds the fence and the
 * refund.
 */
export const sweepNow = defineCall({
  name: 'orphans sweep',
  route: 'POST /orphans/sweep',
  may: ['support'],
  summary: 'Fence off the jobs of orphaned charges and refund the charges, now',
  input: Horizon,
  typed: { horizon: 'duration' },
  features: [StreamCommandsModule],
  async run(operator, { env, horizon }) {
    const { configuration } = operator;
    const commands = operator.get(CommandBus);
    const orphanHorizonMs = horizon ?? configuration.projector.orphanHorizonMs;
    if (orphanHorizonMs < leastHorizonMs)
      throw new CallRefused('a horizon of less than 1s would give up dispatches that are under way');
    // Failures are counted below; the projector logs its own failures in full.
    const logger = createLogger('cli', 'silent');
    const swept = [];
    for (const environment of environmentsOf(env)) {
      const openCharges = await ledgerOf(operator, environment);
      const result = await sweepOrphans({
        environment,
        commands,
        openCharges,
        orphanHorizonMs,
        logger,
        clock: systemClock,
      });
      swept.push({ env: environment, ...result });
    }
    return { horizon_ms: orphanHorizonMs, swept };
  },
  print: ({ swept }) =>
    printTable(swept, {
      environment: (each) => each.env,
      refunded: (each) => each.refunded,
      closed: (each) => each.closed,
      spared: (each) => each.spared,
      failed: (each) => each.failed,
    }),
  complaint({ swept }) {
    const failed = swept.reduce((sum, each) => sum + each.failed, 0);
    return failed > 0 ? `${failed} could not be closed: "atelier doctor" says which part fails` : undefined;
  },
});
