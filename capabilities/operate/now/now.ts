import { Injectable, Module } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { healthOfCapabilities } from '#capabilities/parts.js';
import type { ModelList } from '#platform/image-models.js';
import { systemClock } from '#platform/clock.js';
import { marginOf } from '#operator-calls/margin.js';
import { defineCall, type AsJson } from '#operator-calls/call.js';
import { NoInput } from '#operator-calls/input.js';
import { lagText } from '../health/consumers.js';
import { auditLine } from '../ledger/last-audit.js';
import type { Operator } from '#operator-calls/operator.js';
import { printLine, printTable } from '#operator-calls/output.js';
import { readFacts } from './facts.js';
import * as figures from './figures.js';

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
    const database = await operator.database();
    const [{ reasons, facts }, oldest, unfinished, day] = await Promise.all([
      readFacts(operator),
      figures.readOldestJobs(database),
      figures.readUnfinished(database),
      this.day.forceFetch('day', { context: operator }),
    ]);
    return {
      at: systemClock(),
      reasons,
      oldest_jobs: oldest,
      unfinished,
      ...facts,
      /** Calls that were made, and jobs that ended, in the last 24 hours. */
      last_day: day.map((each) => dayOf(each, operator.configuration.imageModels)),
    };
  }
}

function dayOf({ env, models, ...credits }: figures.Day, list: Pick<ModelList, 'currency' | 'credit_price'>) {
  const price = models.reduce((sum, model) => sum + model.price, 0);
  const margin = marginOf(env, list.credit_price, { ...credits, priceMicros: price * 1e6 });
  return {
    env,
    credits_taken: credits.creditsTaken,
    credits_returned: credits.creditsReturned,
    currency: list.currency,
    price: figures.rounded(price),
    margin: margin === undefined ? null : figures.rounded(margin),
    models: models.map((model) => ({ ...model, price: figures.rounded(model.price) })),
  };
}

@Module({ providers: [NowReader], exports: [NowReader] })
class NowModule {}

export const showNow = defineCall({
  name: 'now',
  route: 'GET /now',
  may: ['read'],
  summary:
    'Is anyone waiting, and why: queues, jobs, read models, charges, webhooks, buckets, seals, the cost of vendors',
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
  printLine(`last audit: ${auditLine(now)}`);
  for (const { env, what, since } of now.alerts.told)
    printLine(`told as an alert: ${env === null ? '' : `${env} `}${what}, since ${since}`);
  for (const [name, health] of await healthOfCapabilities()) printLine(health.line(now[name]));
}

const percent = (share: number | null | undefined) =>
  share === null || share === undefined ? undefined : `${Math.round(share * 1_000) / 10} %`;
