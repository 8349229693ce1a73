import { stringify } from 'csv-stringify/sync';
import type { JobEvent } from '#domain/job/job.events.js';
import { decode } from '#domain/stored-events.js';
import { categoryPrefix } from '#domain/streams.js';
import { Operator } from '../operator.js';
import { printJson, printTable } from '../output.js';
import { environmentsOf, pagesOfLog, timeOf } from '../places.js';
import { findConfiguration } from '../service.js';
import type { EnvironmentOptions } from '../verb.js';
import { CostBook, type CostGroup, type CostLine } from './cost-book.js';

export interface CostOptions extends EnvironmentOptions {
  readonly by: CostGroup;
  readonly from?: string;
  readonly to?: string;
  readonly csv?: boolean;
}

const types = ['JobQueued', 'EngineCalled', 'EngineAnswered', 'JobFailed', 'JobCancelled'];

/** Of jobs that were queued in the period, whenever they ended. */
export async function showCosts({ by, from, to, csv, json, env }: CostOptions): Promise<void> {
  const earliest = from === undefined ? -Infinity : timeOf('--from', from);
  const latest = to === undefined ? Infinity : timeOf('--to', to);
  const { imageModels } = findConfiguration();
  const book = new CostBook();
  await using operator = await Operator.connect();
  const filter = { types, streamPrefixes: environmentsOf(env).map((each) => categoryPrefix(each, 'job')) };
  for await (const page of pagesOfLog(operator.store, { filter, limit: 1000 })) {
    for (const recorded of page) {
      // The filter lets events of jobs through only.
      const event = decode(recorded) as JobEvent;
      const queuedAt = event.type === 'JobQueued' ? Date.parse(event.data.at) : undefined;
      if (queuedAt === undefined || (queuedAt >= earliest && queuedAt <= latest))
        book.add(recorded.stream, event);
    }
  }
  const { currency, credit_price: creditPrice } = imageModels;
  const rows = book.lines(by).map((line) => rowOf(line, currency, creditPrice));
  if (json) return printJson({ by, costs: rows });
  if (csv) return void process.stdout.write(stringify(rows, { header: true }));
  printTable(rows, {
    [by]: ({ group }) => group,
    jobs: ({ jobs }) => jobs,
    'credits taken': (row) => row.credits_taken,
    'given back': (row) => row.credits_returned,
    calls: ({ calls }) => calls,
    [`vendors (${currency})`]: ({ price }) => price,
    [`margin (${currency})`]: ({ margin }) => margin,
    'refunded and paid': (row) => (row.lost_jobs === 0 ? '' : `${row.lost_jobs} jobs, ${row.lost_price}`),
  });
}

const money = (amount: number): number => Math.round(amount * 10_000) / 10_000;

function rowOf(line: CostLine, currency: string, creditPrice: number | undefined) {
  const { group, jobs, calls, creditsTaken, creditsReturned, price, lostJobs, lostPrice } = line;
  const sold = creditPrice === undefined ? undefined : (creditsTaken - creditsReturned) * creditPrice;
  return {
    ...{ group, jobs, credits_taken: creditsTaken, credits_returned: creditsReturned, calls, currency },
    ...{ price: money(price), margin: sold === undefined ? null : money(sold - price) },
    ...{ lost_jobs: lostJobs, lost_price: money(lostPrice) },
  };
}
