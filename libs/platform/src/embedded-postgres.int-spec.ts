import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import pg from 'pg';
import { eventually } from '../../../test/support/eventually.js';
import { EmbeddedPostgresError, startEmbeddedPostgres, stopEmbeddedPostgres } from './embedded-postgres.js';
import { identityOf, isRunning } from './processes.js';

const folders: string[] = [];

function makeFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'atelier-embedded-'));
  folders.push(folder);
  return {
    folder,
    dataDirectory: join(folder, 'postgres'),
    logFile: join(folder, 'postgres.log'),
    fsync: false,
  };
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows as unknown[];
  } finally {
    await client.end();
  }
}

afterEach(async () => {
  for (const folder of folders.splice(0)) {
    await stopEmbeddedPostgres(join(folder, 'postgres'));
    rmSync(folder, { recursive: true, force: true });
  }
});

describe('the embedded PostgreSQL', () => {
  it('keeps its data over a stop, and its password in a private file', async () => {
    const options = makeFolder();
    const first = await startEmbeddedPostgres(options);
    expect(first.alreadyRunning).toBe(false);
    await query(first.url, 'create table kept as select 42 as answer');
    await first.stop();
    await first.stop();
    await expect(query(first.url, 'select 1')).rejects.toThrow('ECONNREFUSED');
    expect(statSync(`${options.dataDirectory}.password`).mode & 0o777).toBe(0o600);

    const second = await startEmbeddedPostgres(options);
    expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
  });

  it('asks for the password, and runs with checksums, UTF-8 and code point order', async () => {
    const { url } = await startEmbeddedPostgres(makeFolder());
    const stranger = new URL(url);
    stranger.password = 'guessed';
    await expect(query(stranger.href, 'select 1')).rejects.toThrow('password authentication failed');
    const sql = `select current_setting('data_checksums') as sums, current_setting('server_encoding') as encoding,
      'Z' < 'a' as by_code_point, upper('ß é') as upper`;
    expect(await query(url, sql)).toEqual([
      { sums: 'on', encoding: 'UTF8', by_code_point: true, upper: 'ß É' },
    ]);
  });

  it('takes over the server that a killed parent left behind', async () => {
    const options = makeFolder();
    const first = await startEmbeddedPostgres(options);
    const second = await startEmbeddedPostgres(options);
    expect(second).toMatchObject({ alreadyRunning: true, pid: first.pid, port: first.port, url: first.url });
    await second.stop();
  });

  it('recovers after the server itself was killed', async () => {
    const options = makeFolder();
    const first = await startEmbeddedPostgres({ ...options, fsync: true });
    await query(first.url, 'create table kept as select 1 as answer');
    const server = identityOf(first.pid);
    process.kill(first.pid, 'SIGKILL');
    await eventually(() => !isRunning(server));
    const second = await startEmbeddedPostgres(options);
    expect(second.alreadyRunning).toBe(false);
    expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 1 }]);
    // Clients that know the old address can go on with it.
    expect(second.url).toBe(first.url);
  });

  it('does not mistake another process with the old number for its server', async () => {
    const options = makeFolder();
    const first = await startEmbeddedPostgres(options);
    await first.stop();
    const pidFile = join(options.dataDirectory, 'postmaster.pid');
    writeFileSync(
      pidFile,
      `${process.pid}\n${options.dataDirectory}\n1\n${first.port}\n\n127.0.0.1\n\nready\n`,
    );
    const second = await startEmbeddedPostgres(options);
    expect(second.alreadyRunning).toBe(false);
  });

  it('runs beside another one', async () => {
    const [one, two] = await Promise.all([
      startEmbeddedPostgres(makeFolder()),
      startEmbeddedPostgres(makeFolder()),
    ]);
    expect(one.port).not.toBe(two.port);
    await Promise.all([one, two].map(({ url }) => query(url, 'select 1')));
  });

  it('starts over when the first initialisation was cut short', async () => {
    const options = makeFolder();
    mkdirSync(join(`${options.dataDirectory}.initialising`, 'data'), { recursive: true });
    const { url } = await startEmbeddedPostgres(options);
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('says in one line that a folder holds something else, or cannot be written', async () => {
    const options = makeFolder();
    mkdirSync(options.dataDirectory);
    writeFileSync(join(options.dataDirectory, 'letter.txt'), 'dear');
    await expect(startEmbeddedPostgres(options)).rejects.toThrow(
      /holds other files and no PostgreSQL database$/,
    );

    const blocked = join(options.folder, 'file');
    writeFileSync(blocked, '');
    const below = startEmbeddedPostgres({ ...options, dataDirectory: join(blocked, 'postgres') });
    await expect(below).rejects.toThrow(
      /^The folder .*file.* is not writable for this user \((ENOTDIR|EEXIST)\)$/,
    );
  });

  it('shows the line of the log that says why the server did not start', async () => {
    const options = makeFolder();
    const attempt = startEmbeddedPostgres({ ...options, settings: { max_connections: 'many' } });
    await expect(attempt).rejects.toThrow(EmbeddedPostgresError);
    await expect(attempt).rejects.toThrow(/did not start: .*max_connections.*\(log: .*postgres\.log\)$/);
  });

  it('works below a folder that only its owner may enter', async () => {
    const options = makeFolder();
    chmodSync(options.folder, 0o700);
    const { url } = await startEmbeddedPostgres(options);
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});
