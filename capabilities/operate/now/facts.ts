import { actionsPrefix } from '#application/action/record-action.handler.js';
import { healthOfCapabilities, type NowOfCapabilities } from '#capabilities/parts.js';
import { environments, type Environment } from '#domain/streams.js';
import type { HealthSources } from '#operator-calls/health.js';
import type { Operator } from '#operator-calls/operator.js';
import { sqlState } from '#platform/postgres.js';
import { readOpenCharges, type OpenChargeLevel } from '#projections/ledger/ledger.reader.js';
import { readSignsOfLife } from '#read-store/signs-of-life.js';
import { pgBossQueueLevels } from '#render-queue/queue-levels.js';
import { readAlertLevel } from '../alerts/alert-level.js';
import { readConsumers } from '../health/consumers.js';
import { findStranded } from '../jobs/stranded-jobs.js';
import { lastAudits } from '../ledger/last-audit.js';
import * as figures from './figures.js';
import { reasonsFor, type Reason } from './reasons.js';

/** The facts from which reasons are found, with the reasons. It leaves out the sums of a day, which cost more. */
export async function readFacts(
  operator: Pick<Operator, 'configuration' | 'store' | 'database' | 'recorded'>,
) {
  const { configuration, store } = operator;
  const database = await operator.database();
  const sources = { store, database, configuration };
  const stranded = environments.map(async (env) => ({
    env,
    jobs: (await unlessGone(findStranded(database, store, env), [])).length,
  }));
  const [processes, queues, ends, charges, consumers, told, audits, alerts, lost] = await Promise.all([
    readSignsOfLife(database),
    unlessGone(pgBossQueueLevels(database)(), undefined),
    figures.readEnds(database),
    // The sweep may take another horizon's time, as the doctor also assumes.
    readOpenCharges(database, 2 * configuration.projector.orphanHorizonMs),
    readConsumers(sources),
    tellCapabilities(sources),
    operator.recorded({ streamPrefixes: [actionsPrefix] }).then(lastAudits),
    readAlertLevel(database),
    Promise.all(stranded),
  ]);
  const facts = {
    processes,
    queues: queues ? environments.map((env) => figures.levelsOf(env, queues)) : [],
    last_hour: environments.map((env) => hourOf(env, ends)),
    consumers,
    stranded: lost,
    charges: charges.map(chargesOf),
    ...told.facts,
    ...audits,
    alerts,
  };
  return { reasons: reasonsFor({ ...facts, capabilities: told.reasons }), facts };
}

function chargesOf({ environment, count, credits, oldestSeconds, orphaned }: OpenChargeLevel) {
  const oldest_seconds = Math.round(oldestSeconds);
  return { env: environment, open: count, credits, orphaned, oldest_seconds };
}

/** The present facts of the capabilities, and the reasons why people wait because of them. */
async function tellCapabilities(sources: HealthSources) {
  const told = await Promise.all(
    (await healthOfCapabilities()).map(async ([name, health]) => {
      const facts = await health.facts(sources);
      const reasons = health.reasons(facts).map((reason): Reason => ({ what: name, ...reason }));
      return { name, facts, reasons };
    }),
  );
  // Each name has the facts of its capability.
  const facts = Object.fromEntries(told.map(({ name, facts }) => [name, facts])) as NowOfCapabilities;
  return { facts, reasons: told.flatMap(({ reasons }) => reasons) };
}

/** A lost queue comes back by itself. Callers in the meantime still need an answer. */
function unlessGone<T>(look: Promise<T>, otherwise: T): Promise<T> {
  return look.catch((error: unknown) => {
    if (['42P01', '3F000'].includes(sqlState(error) ?? '')) return otherwise;
    throw error;
  });
}

/** Errors that the same order may not meet again. */
const transientCodes = new Set([
  'ENGINE_CAPACITY',
  'ENGINE_NO_IMAGE',
  'ENGINE_OUTCOME_UNKNOWN',
  'ATTEMPTS_EXHAUSTED',
]);

/** Shares of the jobs that ended; null when none has. */
function hourOf(env: Environment, all: readonly figures.JobEnds[]) {
  const ends = all.filter((each) => each.env === env);
  const count = (wanted: (code: string | null) => boolean) =>
    ends.filter(({ error_code: code }) => wanted(code)).reduce((sum, { jobs }) => sum + jobs, 0);
  const ended = count(() => true);
  const share = (wanted: (code: string | null) => boolean) =>
    ended === 0 ? null : figures.rounded(count(wanted) / ended);
  return {
    env,
    ended,
    success_rate: share((code) => code === null),
    policy_rate: share((code) => code === 'ENGINE_POLICY'),
    transient_rate: share((code) => code !== null && transientCodes.has(code)),
    // The credits of every job that did not succeed are given back.
    refund_rate: share((code) => code !== null),
    errors: ends
      .flatMap(({ error_code: code, jobs }) => (code === null ? [] : [{ error_code: code, jobs }]))
      .sort((one, other) => other.jobs - one.jobs),
  };
}
