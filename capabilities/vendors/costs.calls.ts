import { stringify } from 'csv-stringify/sync';
import { environments, type Environment } from '#domain/streams.js';
import { ChoiceField, TextField } from '#validation/fields.js';
import { defineCall } from '#operator-calls/call.js';
import { printLine, printTable } from '#operator-calls/output.js';
import { timeOf } from '#operator-calls/input.js';
import { marginOf } from '#operator-calls/margin.js';
import { costGroups, sumCosts, type CostGroup, type CostLine } from './costs.js';

class Costs {
  @ChoiceField({
    description: 'Data environment. Test credits are not sold, so the margin of test is null.',
    values: environments,
    default: 'live',
  })
  env: Environment = 'live';

  @ChoiceField({ description: 'What to sum by.', values: costGroups, default: 'model' })
  by: CostGroup = 'model';

  @TextField({ description: 'Jobs dispatched from this time on.', min: 1, max: 40 })
  from?: string;

  @TextField({ description: 'Jobs dispatched up to this time.', min: 1, max: 40 })
  to?: string;
}

/** The longest period that both PostgreSQL's timestamps and JavaScript's dates can express. */
const ever = [new Date(0), new Date('9999-12-31T23:59:59Z')] as const;

/** Sums the costs of jobs that were queued in the period, at any time of their end. */
export const showCosts = defineCall({
  name: 'costs',
  route: 'GET /costs',
  may: ['read'],
  summary: "Vendors' prices for pictures, beside the credits charged and refunded",
  input: Costs,
  csv: true,
  async run(operator, { by, from, to, env }) {
    const period = [
      from === undefined ? ever[0] : new Date(timeOf('--from', from)),
      to === undefined ? ever[1] : new Date(timeOf('--to', to)),
    ] as const;
    const { currency, credit_price: creditPrice } = operator.configuration.imageModels;
    const lines = await sumCosts(await operator.database(), env, by, period);
    return { env, by, costs: lines.map((line) => rowOf(line, currency, marginOf(env, creditPrice, line))) };
  },
  print({ env, by, costs }, _input, { csv }) {
    if (csv) return void process.stdout.write(stringify(costs, { header: true }));
    const currency = costs[0]?.currency ?? '';
    printTable(costs, {
      [by]: ({ group }) => group,
      jobs: ({ jobs }) => jobs,
      'credits taken': (row) => row.credits_taken,
      'given back': (row) => row.credits_returned,
      calls: ({ calls }) => calls,
      [`vendors (${currency})`]: ({ price }) => price,
      [`margin (${currency})`]: ({ margin }) => margin,
      'refunded and paid': (row) => (row.lost_jobs === 0 ? '' : `${row.lost_jobs} jobs, ${row.lost_price}`),
    });
    printLine(
      env === 'live'
        ? 'These are the costs of live. --env test shows those of test.'
        : 'These are the costs of test, whose credits are not sold.',
    );
  },
});

const money = (amount: number): number => Math.round(amount * 10_000) / 10_000;

function rowOf(line: CostLine, currency: string, margin: number | undefined) {
  const { group, jobs, calls, creditsTaken, creditsReturned, lostJobs } = line;
  const [price, lostPrice] = [line.priceMicros / 1e6, line.lostMicros / 1e6];
  return {
    group,
    jobs,
    credits_taken: creditsTaken,
    credits_returned: creditsReturned,
    calls,
    currency,
    price: money(price),
    margin: margin === undefined ? null : money(margin),
    lost_jobs: lostJobs,
    lost_price: money(lostPrice),
  };
}
