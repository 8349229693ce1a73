import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createLogger } from '#platform/logger.js';
import { readModels } from '#projections/read-models.js';
import { ProjectionRunner } from '#read-store/projection-runner.js';
import { createTestDatabase } from '../../support/test-database.js';
import { caughtUp } from './invariants.js';
import { worldTemplate, type World } from './world.js';

/**
 * Folds the whole history anew into another database and compares every row of every read model: what crashes in the
 * middle have left there must not be told from what never saw one.
 */
export async function readModelProblems(world: World): Promise<string[]> {
  if (!(await caughtUp(world))) return ['the read models do not catch up'];
  await using database = await disposableDatabase();
  const stopping = new AbortController();
  const runner = new ProjectionRunner({
    ...{ url: database.url, eventStore: world.events.store, environment: 'test', readModels },
    log: createLogger('test', 'silent'),
  });
  const running = runner.run(stopping.signal);
  while (!runner.status.caughtUp) await sleep(20);
  stopping.abort();
  await running;
  const rebuilt = new pg.Pool({ connectionString: database.url, max: 1 });
  try {
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
  }
}

async function rowsOf(pool: pg.Pool, readModel: string): Promise<Set<string>> {
  const { rows } = await pool.query<{ row: string }>(
    `select to_jsonb(model)::text as row from test.${readModel} as model`,
  );
  return new Set(rows.map(({ row }) => row));
}

async function disposableDatabase() {
  const database = await createTestDatabase({ template: worldTemplate });
  return { url: database.url, [Symbol.asyncDispose]: () => database.drop() };
}
