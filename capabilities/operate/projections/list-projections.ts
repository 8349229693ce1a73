import type { Environment } from '#domain/streams.js';
import { onlyRow } from '#platform/postgres.js';
import type { Queries } from '#read-store/data-source.js';
import { lagText, readConsumers, type ConsumerStatus } from '../health/consumers.js';
import { defineCall } from '#operator-calls/call.js';
import { InEnvironment } from '#operator-calls/input.js';
import { printLine, printTable } from '#operator-calls/output.js';

interface GenerationRow {
  readonly env: Environment;
  readonly name: string;
  readonly generation: number;
  readonly version: number;
  readonly state: string;
  readonly because: string | null;
  readonly position: string | null;
  readonly table: string | null;
  readonly parked_streams: number;
}

/** Only live generations have a lag: the others stand where they were left. */
interface ListedGeneration extends GenerationRow {
  readonly rows: number | null;
  readonly behind: Pick<ConsumerStatus, 'lag' | 'lag_seconds'> | undefined;
}

export const listProjections = defineCall({
  name: 'projections list',
  route: 'GET /projections',
  may: ['read'],
  summary: 'Every generation of every read model: state, position, rows, what is parked',
  input: InEnvironment,
  async run(operator, { env }) {
    const { configuration, store } = operator;
    const database = await operator.database();
    const [generations, consumers] = await Promise.all([
      readGenerations(database, env),
      readConsumers({ database, store, configuration }),
    ]);
    const listed = generations.map((each): ListedGeneration => {
      const isServing = each.state === 'live' || each.state === 'halted';
      const behind = consumers.find(
        ({ kind, env: of, name }) =>
          isServing && kind === 'read model' && of === each.env && name === each.name,
      );
      return { ...each, behind };
    });
    return { projections: listed.map(describeGeneration) };
  },
  print: ({ projections }) => printGenerations(projections),
});

async function readGenerations(
  database: Queries,
  env: Environment | undefined,
): Promise<Omit<ListedGeneration, 'behind'>[]> {
  const { rows } = await database.query(
    `select environment as env, name, generation, version, halted_because as because, position::text,
          -- What waits for a switch is shown as what it is built for; the reason beside it tells more.
          case when state in ('comparing', 'complete', 'differing') then 'building' else state end as state,
          to_regclass(format('%I.%I', environment, name || '_g' || generation))::text as table,
          (select count(distinct stream)::integer from read_store.parked_events e
            where (e.environment, e.name, e.generation) = (p.environment, p.name, p.generation)) as parked_streams
        from read_store.projections p where environment = coalesce($1, environment)
        order by environment, name, generation`,
    [env ?? null],
  );
  const counted = [];
  // The statement names and types its columns.
  for (const row of rows as GenerationRow[])
    counted.push({ ...row, rows: await countRows(database, row.table) });
  return counted;
}

async function countRows(database: Queries, table: string | null): Promise<number | null> {
  if (table === null) return null;
  const { rows } = await database.query(`select count(*)::float8 as rows from ${table}`);
  return onlyRow({ rows: rows as { rows: number }[] }).rows;
}

function describeGeneration({ because, table, behind, ...rest }: ListedGeneration) {
  return {
    ...rest,
    because,
    table_exists: table !== null,
    behind_events: behind?.lag ?? null,
    behind_seconds: behind ? (behind.lag_seconds ?? 0) : null,
  };
}

type Listed = ReturnType<typeof describeGeneration>;

function printGenerations(listed: readonly Listed[]): void {
  printTable(listed, {
    environment: ({ env }) => env,
    'read model': ({ name }) => name,
    generation: ({ generation }) => generation,
    version: ({ version }) => version,
    state: ({ state }) => state,
    position: ({ position }) => position,
    behind: ({ behind_events: lag, behind_seconds }) =>
      lag === null ? undefined : lagText({ lag, lag_seconds: behind_seconds }),
    rows: ({ rows }) => rows,
    'parked streams': (each) => each.parked_streams,
  });
  for (const { env, name, generation, because } of listed)
    if (because !== null) printLine(`${env}.${name}, generation ${generation}: ${because}`);
}
