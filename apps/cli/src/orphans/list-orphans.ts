import { load } from '#application/aggregate.js';
import { orphanCandidates } from '#application/process-managers/orphan-sweep.js';
import { jobAggregate } from '#application/render/job-aggregate.js';
import { environments, streamName, type Environment } from '#domain/streams.js';
import { systemClock } from '#platform/clock.js';
import type { OpenCharge } from '#projections/ledger/ledger.reader.js';
import { Operator } from '../operator.js';
import { printJson, printLine, printTable } from '../output.js';
import { withLedger } from '../with-ledger.js';
import type { OrphansOptions } from './orphans-options.js';

interface Orphan extends OpenCharge {
  readonly environment: Environment;
  /** Its job is fenced off already, and only the refund is missing. */
  readonly fenced: boolean;
}

/** Changes nothing. What the read models take for an orphan is looked up in the job's own stream before it is shown. */
export async function listOrphans({ env, horizon, json }: OrphansOptions): Promise<void> {
  await using operator = Operator.connect();
  const horizonMs = horizon ?? operator.connections.orphanHorizonMs;
  const orphans: Orphan[] = [];
  for (const environment of env ? [env] : environments) {
    orphans.push(...(await orphansIn(operator, environment, horizonMs)));
  }
  const now = systemClock().getTime();
  const described = orphans.map(({ environment, tenant, chargeId, jobId, amount, createdAt, fenced }) => ({
    env: environment,
    tenant_id: tenant,
    charge_id: chargeId,
    job_id: jobId,
    credits: amount,
    charged_at: createdAt.toISOString(),
    age_seconds: Math.floor((now - createdAt.getTime()) / 1000),
    fenced,
  }));
  if (json) return printJson({ horizon_ms: horizonMs, orphans: described });
  if (described.length === 0)
    return printLine(`No charge without a job is older than ${horizonMs / 1000} s.`);
  printTable(
    ['environment', 'tenant', 'charge', 'job', 'credits', 'age', 'fenced'],
    described.map((each) => [
      ...[each.env, each.tenant_id, each.charge_id, each.job_id, each.credits],
      ...[`${each.age_seconds} s`, each.fenced],
    ]),
  );
}

function orphansIn(
  { connections, store }: Operator,
  environment: Environment,
  orphanHorizonMs: number,
): Promise<Orphan[]> {
  return withLedger(connections, environment, async (openCharges) => {
    const orphans: Orphan[] = [];
    for await (const page of orphanCandidates({ openCharges, clock: systemClock, orphanHorizonMs })) {
      const states = await Promise.all(
        page.map(({ jobId }) => load(store, streamName(environment, 'job', jobId), jobAggregate)),
      );
      page.forEach((candidate, index) => {
        const status = states[index]?.state.status;
        if (status !== 'unqueued' && status !== 'voided') return;
        orphans.push({ ...candidate, environment, fenced: status === 'voided' });
      });
    }
    return orphans;
  });
}
