import pg from 'pg';
import { AccountWriter } from '#application/account/account-writer.js';
import { createLogger } from '#platform/logger.js';
import { readModels } from '#projections/read-models.js';
import { ProjectionRunner } from '#read-store/projection-runner.js';
import { runTasks } from '#read-store/exclusive-session.js';
import { audited } from '../../support/audited.js';
import { createTestDatabase } from '../../support/test-database.js';
import { caughtUp } from './invariants.js';
import { openLog } from './log.js';
import { horizonMs, worldTemplate, type World } from './world.js';

/**
 * Folds the whole history anew into another database and compares every row of every read model. Rows that went
 * through crashes must equal rows that did not.
 */
export async function readModelProblems(world: World): Promise<string[]> {
  if (!(await caughtUp(world))) return ['the read models do not catch up'];
  const database = await createTestDatabase({ template: worldTemplate });
  // The world's own log still has keys in memory that were destroyed since.
  const log = await openLog(world.database.url, { maxConnections: 2 });
  const stopping = new AbortController();
  const common = { url: database.url, log: createLogger('test', 'silent') };
  const runner = new ProjectionRunner({
    ...common,
    eventStore: log.store,
    environment: 'test',
    readModels,
  });
  const running = runTasks({ ...common, tasks: [runner], signal: stopping.signal });
  const rebuilt = new pg.Pool({ connectionString: database.url, max: 1 });
  try {
    while (!(await caughtUp({ events: world.events, pool: rebuilt })));
    stopping.abort();
    await running;
    const problems: string[] = [];
    for (const { name } of readModels) {
      const [live, anew] = [await rowsOf(world.pool, name), await rowsOf(rebuilt, name)];
      for (const row of new Set([...live, ...anew])) {
        if (live.has(row) !== anew.has(row))
          problems.push(`${name}: ${live.has(row) ? 'only live' : 'only rebuilt'}: ${row}`);
      }
    }
    return problems;
  } finally {
    await rebuilt.end();
    await log.close();
    await database.drop();
  }
}

async function rowsOf(pool: pg.Pool, readModel: string): Promise<Set<string>> {
  const { rows } = await pool.query<{ row: string }>(
    `select to_jsonb(model)::text as row from test.${readModel} as model`,
  );
  return new Set(rows.map(({ row }) => row));
}

/** The findings of the operators' audit over everything that happened, as of now. */
export async function auditFindings(world: World): Promise<readonly unknown[]> {
  if (!(await caughtUp(world))) return ['the read models do not catch up'];
  await using log = await openLog(world.database.url, { maxConnections: 2 });
  const { store, snapshots } = log;
  const installation = {
    store,
    databaseUrl: world.database.url,
    accounts: new AccountWriter(store, snapshots),
  };
  const more = { environments: ['test'], horizonMs, signal: AbortSignal.timeout(180_000) } as const;
  const report = await audited(installation, more);
  return report.findings;
}
