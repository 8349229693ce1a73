import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

export interface DatabaseTemplate {
  /** Names the template for the whole test run: lower case letters, digits and underscores. */
  readonly name: string;
  /** Fills the template once in a run: migrations, seeds. It must close its connections before it resolves. */
  prepare(url: string): Promise<void>;
}

export interface TestDatabase {
  readonly url: string;
  /** Removes the database, and cuts all connections to it. */
  drop(): Promise<void>;
}

/**
 * Makes an empty database for one spec file, or a clone of a template. A clone takes about 12 ms in memory, and
 * new migrations take a multiple of that. Spec files run in several processes, so the template is made under a
 * lock.
 */
export function createTestDatabase({
  template,
}: { template?: DatabaseTemplate } = {}): Promise<TestDatabase> {
  return cloned((server) => (template ? ensureTemplate(server, template) : 'template0'));
}

/** @param from names the database that is copied */
async function cloned(from: (server: pg.Client) => Promise<string> | string): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await withServer(async (server) =>
    server.query(`create database ${name} template ${await from(server)} strategy file_copy`),
  );
  return {
    url: databaseUrl(name),
    drop: () =>
      withServer(async (server) => {
        await left(server, name);
        await server.query(`drop database if exists ${name} with (force)`);
      }),
  };
}

/**
 * A pool ends before its connections are closed. A connection that is cut in between raises an error that only
 * the process sees.
 */
async function left(server: pg.Client, name: string): Promise<void> {
  const connected = 'select from pg_stat_activity where datname = $1 limit 1';
  for (const deadline = Date.now() + 2_000; Date.now() < deadline; await sleep(10))
    if ((await server.query(connected, [name])).rowCount === 0) return;
}

/**
 * Copies the database as it is now, like a dump that is restored into another one. No client may be connected
 * to it.
 */
export function copyTestDatabase({ url }: Pick<TestDatabase, 'url'>): Promise<TestDatabase> {
  return cloned(() => new URL(url).pathname.slice(1));
}

/** The server that `global-setup.ts` started for this run. */
function testServerUrl(): string {
  const url = process.env['ATELIER_TEST_POSTGRES_URL'];
  if (url === undefined) throw new Error('No test server: run the tests through `npm test`');
  return url;
}

function databaseUrl(database: string): string {
  const url = new URL(testServerUrl());
  url.pathname = `/${database}`;
  return url.href;
}

/**
 * The session holds the lock, not a transaction, because `create database` refuses to run in one. The template
 * gets its final name only when it is complete: a worker that dies half way leaves nothing under that name.
 */
async function ensureTemplate(server: pg.Client, template: DatabaseTemplate): Promise<string> {
  const name = `template_${template.name}`;
  const draft = `${name}_draft`;
  await server.query('select pg_advisory_lock(hashtext($1))', [name]);
  try {
    const { rowCount } = await server.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 0) {
      await server.query(`drop database if exists ${draft} with (force)`);
      await server.query(`create database ${draft} template template0`);
      await template.prepare(databaseUrl(draft));
      await server.query(`alter database ${draft} rename to ${name}`);
    }
  } finally {
    await server.query('select pg_advisory_unlock(hashtext($1))', [name]);
  }
  return name;
}

/**
 * Does the work while no other spec file of this run does work of the same name. Outside of a run it does the
 * work at once.
 */
export function oneFileAtATime<T>(name: string, work: () => Promise<T>): Promise<T> {
  if (process.env['ATELIER_TEST_POSTGRES_URL'] === undefined) return work();
  return withServer(async (server) => {
    // Held until the session ends.
    await server.query('select pg_advisory_lock(hashtext($1))', [name]);
    return work();
  });
}

async function withServer<T>(work: (server: pg.Client) => Promise<T>): Promise<T> {
  const server = new pg.Client({ connectionString: testServerUrl() });
  await server.connect();
  try {
    return await work(server);
  } finally {
    await server.end();
  }
}
