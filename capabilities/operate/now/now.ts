import { Injectable, Module } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { actionsPrefix } from '#application/action/record-action.handler.js';
import { healthOfCapabilities, type NowOfCapabilities } from '#capabilities/parts.js';
import { environments, type Environment } from '#domain/streams.js';
import type { ModelList } from '#platform/image-models.js';
import { sqlState } from '#platform/postgres.js';
import { systemClock } from '#platform/clock.js';
import { marginOf } from '#operator-calls/margin.js';
import { readOpenCharges, type OpenChargeLevel } from '#projections/ledger/ledger.reader.js';
import { readSignsOfLife } from '#read-store/signs-of-life.js';
import { pgBossQueueLevels } from '#render-queue/queue-levels.js';
import { defineCall, type AsJson } from '#operator-calls/call.js';
import type { HealthSources } from '#operator-calls/health.js';
import { NoInput } from '#operator-calls/input.js';
import { lagText, readConsumers } from '../health/consumers.js';
import { findStranded } from '../jobs/stranded-jobs.js';
import { lastAudit } from '../ledger/last-audit.js';
import type { Operator } from '#operator-calls/operator.js';
import { printLine, printTable } from '#operator-calls/output.js';
import * as figures from './figures.js';
import { reasonsFor, type Reason } from './reasons.js';

/** The sums of a day cost more than all the rest, and hardly move. */
const dayKeptMs = 30_000;
/** A look this soon after another gets the same answer. */
const lookKeptMs = 500;

/** Shares one look among all callers who come at about the same time. */
@Injectable()
class NowReader {
  private readonly day = new LRUCache<'day', Awaited<ReturnType<typeof figures.readDay>>, Operator>({
    max: 1,
    ttl: dayKeptMs,
    fetchMethod: async (_key, _stale, { context }) => figures.readDay(await context.database()),
  });
  private readonly looks = new LRUCache<'now', Awaited<ReturnType<NowReader['look']>>, Operator>({
    max: 1,
    ttl: lookKeptMs,
    fetchMethod: (_key, _stale, { context }) => this.look(context),
  });

  read(operator: Operator) {
    return this.looks.forceFetch('now', { context: operator });
  }

  private async look(operator: Operator) {
    const { configuration, store } = operator;
    const database = await operator.database();
    const sources = { store, database, configuration };
    const stranded = environments.map(async (env) => ({
      env,
      jobs: (await unlessGone(findStranded(database, store, env), [])).length,
    }));
    const [processes, queues, oldest, unfinished, ends, charges, consumers, told, audit, day, lost] =
      await Promise.all([
        readSignsOfLife(database),
        ...([
          unlessGone(pgBossQueueLevels(database)(), undefined),
          figures.readOldestJobs(database),
        ] as const),
        ...([figures.readUnfinished(database), figures.readEnds(database)] as const),
        // The sweep may take another horizon's time, as the doctor also assumes.
        readOpenCharges(database, 2 * configuration.projector.orphanHorizonMs),
        readConsumers(sources),
        tellCapabilities(sources),
        operator.recorded({ streamPrefixes: [actionsPrefix] }).then(lastAudit),
        this.day.forceFetch('day', { context: operator }),
        Promise.all(stranded),
      ]);
    const facts = {
      processes,
      queues: queues ? environments.map((env) => figures.levelsOf(env, queues)) : [],
      oldest_jobs: oldest,
      unfinished,
      last_hour: environments.map((env) => hourOf(env, ends)),
      consumers,
      stranded: lost,
      charges: charges.map(chargesOf),
      ...told.facts,
      last_audit: audit,
    };
    return {
      at: systemClock(),
      reasons: reasonsFor({ ...facts, capabilities: told.reasons }),
      ...facts,
      /** Calls that were made, and jobs that ended, in the last 24 hours. */
      last_day: day.map((each) => dayOf(each, configuration.imageModels)),
    };
  }
}

function chargesOf({ environment, count, credits, oldestSeconds, orphaned }: OpenChargeLevel) {
  const oldest_seconds = Math.round(oldestSeconds);
  return { env: environment, open: count, credits, orphaned, oldest_seconds };
}

function dayOf({ env, models, ...credits }: figures.Day, list: Pick<ModelList, 'currency' | 'credit_price'>) {
  const price = models.reduce((sum, model) => sum + model.price, 0);
  const margin = marginOf(env, list.credit_price, { ...credits, priceMicros: price * 1e6 });
  return {
    env,
    credits_taken: credits.creditsTaken,
    credits_returned: credits.creditsReturned,
    currency: list.currency,
    price: rounded(price),
    margin: margin === undefined ? null : rounded(margin),
    models: models.map((model) => ({ ...model, price: rounded(model.price) })),
  };
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

@Module({ providers: [NowReader], exports: [NowReader] })
class NowModule {}

/** A lost queue comes back by itself. Callers in the meantime still need an answer. */
function unlessGone<T>(look: Promise<T>, otherwise: T): Promise<T> {
  return look.catch((error: unknown) => {
    if (['42P01', '3F000'].includes(sqlState(error) ?? '')) return otherwise;
    throw error;
  });
}

const rounded = (value: number) => Math.round(value * 10_000) / 10_000;

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
    ended === 0 ? null : rounded(count(wanted) / ended);
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

export const showNow = defineCall({
  name: 'now',
  route: 'GET /now',
  may: ['read'],
  summary:
    'Is anyone waiting, and why: queues, jobs, read models, charges, webhooks, seals, the cost of vendors',
  input: NoInput,
  live: true,
  features: [NowModule],
  run: (operator) => operator.get(NowReader).read(operator),
  print: printNow,
});

export type Now = Awaited<ReturnType<NowReader['read']>>;

async function printNow(now: AsJson<Now>): Promise<void> {
  for (const { env, detail } of now.reasons) printLine(env === null ? detail : `${env}: ${detail}`);
  printLine(now.reasons.length === 0 ? 'No one waits longer than usual.' : '');
  printTable(now.queues, {
    environment: ({ env }) => env,
    waiting: ({ waiting }) => waiting,
    'oldest (s)': ({ oldest_seconds }) => oldest_seconds,
    later: ({ delayed }) => delayed,
    rendering: ({ active }) => active,
    'ended in 1 h': ({ env }) => now.last_hour.find((hour) => hour.env === env)?.ended,
    succeeded: ({ env }) => percent(now.last_hour.find((hour) => hour.env === env)?.success_rate),
    refunded: ({ env }) => percent(now.last_hour.find((hour) => hour.env === env)?.refund_rate),
    'open charges': ({ env }) => now.charges.find((level) => level.env === env)?.open,
  });
  const late = now.consumers.filter(({ lag, state }) => lag > 0 || state !== 'live');
  if (late.length > 0)
    printTable(late, {
      environment: ({ env }) => env,
      consumer: ({ name }) => name,
      state: ({ state }) => state,
      behind: lagText,
    });
  for (const { env, credits_taken: taken, credits_returned: returned, price, currency } of now.last_day)
    printLine(
      `24 h, ${env}: ${taken} credits taken, ${returned} given back; vendors took ${price} ${currency}`,
    );
  const { last_audit: audit } = now;
  printLine(`last audit: ${audit ? `${audit.at} by ${audit.by}: ${audit.summary}` : 'none'}`);
  for (const [name, health] of await healthOfCapabilities()) printLine(health.line(now[name]));
}

const percent = (share: number | null | undefined) =>
  share === null || share === undefined ? undefined : `${Math.round(share * 1_000) / 10} %`;
