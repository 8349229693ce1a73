import { stringify } from 'csv-stringify/sync';
import { sumCosts, type CostGroup, type CostLine } from '#projections/calls/costs.js';
import { Operator } from '../operator.js';
import { printJson, printTable } from '../output.js';
import { environmentsOf, timeOf } from '../places.js';
import { findConfiguration } from '../service.js';
import type { EnvironmentOptions } from '../verb.js';

export interface CostOptions extends EnvironmentOptions {
  readonly by: CostGroup;
  readonly from?: string;
  readonly to?: string;
  readonly csv?: boolean;
}

/** What PostgreSQL's timestamps and JavaScript's dates both can say. */
const ever = [new Date(0), new Date('9999-12-31T23:59:59Z')] as const;

/** Of jobs that were queued in the period, whenever they ended. */
export async function showCosts({ by, from, to, csv, json, env }: CostOptions): Promise<void> {
  const period = [
    from === undefined ? ever[0] : new Date(timeOf('--from', from)),
    to === undefined ? ever[1] : new Date(timeOf('--to', to)),
  ] as const;
  const { currency, credit_price: creditPrice } = findConfiguration().imageModels;
  await using operator = await Operator.connect();
  const lines = await sumCosts(await operator.database(), environmentsOf(env), by, period);
  const rows = lines.map((line) => rowOf(line, currency, creditPrice));
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
  const { group, jobs, calls, creditsTaken, creditsReturned, lostJobs } = line;
  const [price, lostPrice] = [line.priceMicros / 1e6, line.lostMicros / 1e6];
  const sold = creditPrice === undefined ? undefined : (creditsTaken - creditsReturned) * creditPrice;
  return {
    ...{ group, jobs, credits_taken: creditsTaken, credits_returned: creditsReturned, calls, currency },
    ...{ price: money(price), margin: sold === undefined ? null : money(sold - price) },
    ...{ lost_jobs: lostJobs, lost_price: money(lostPrice) },
  };
}
