import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { errorCode } from './errors.js';
import {
  type ServerAccount,
  chooseServerAccount,
  ensureCluster,
  locatePostgresBinaries,
  prepareParentFolder,
  superuser,
} from './embedded-postgres/cluster.js';
import {
  causeIn,
  EmbeddedPostgresError,
  findRunningPostmaster,
  type Postmaster,
} from './embedded-postgres/postmaster.js';
import { retry } from './retry.js';

export { EmbeddedPostgresError };

export interface EmbeddedPostgresOptions {
  /**
   * Created on first use, together with its missing parents. Only one process at a time may start a server on
   * it.
   */
  readonly dataDirectory: string;
  /** The server's own log. Each start appends to it. A log of more than 16 MiB is first renamed to `.1`. */
  readonly logFile: string;
  /**
   * False only for data that may be lost: tests. Default true: a commit that was answered survives a power cut.
   */
  readonly fsync?: boolean;
  /** The port to try first, so that clients of an earlier server find the new one. */
  readonly preferredPort?: number;
  /** Further PostgreSQL settings by name. Values without quotes and blanks. */
  readonly settings?: Readonly<Record<string, string | number>>;
}

export interface EmbeddedPostgres {
  /** `postgres://atelier:…@127.0.0.1:port/postgres`, with the superuser's password. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** True if a server already ran on the data because its parent had been killed. This process took it over. */
  readonly alreadyRunning: boolean;
  /**
   * Ends all connections and the server. When it resolves, committed data is on the disk. It may be called
   * again.
   */
  stop(): Promise<void>;
}

const settings = {
  listen_addresses: '127.0.0.1',
  // Socket paths are limited to 107 bytes, which a deep folder exceeds; loopback TCP has no such limit.
  unix_socket_directories: '',
  max_connections: 100,
  shared_buffers: '128MB',
  max_wal_size: '1GB',
  checkpoint_timeout: '15min',
  // Compiling a query costs more than our short queries take.
  jit: 'off',
  random_page_cost: 1.1,
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
};
const withoutFsync = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

const rotateAboveBytes = 16 * 1024 * 1024;
const startAttempts = 20;
const startPauseMs = 500;
/**
 * Failures that pass: another process just took the port, or the last processes of a killed server are still
 * ending.
 */
const passing =
  /could not bind|could not create any TCP|shared memory block .* is still in use|lock file .* already exists/;

/**
 * Starts the PostgreSQL server that npm installed, or takes over the one that already runs on this data. The
 * server is a separate process that outlives its parent. So the parent may be killed at any moment; only `stop`
 * ends the server.
 * @throws EmbeddedPostgresError with one line that says what to do
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDirectory = resolve(options.dataDirectory);
  const durable = options.fsync ?? true;
  prepareParentFolder(dataDirectory);
  const { initdb, pgCtl } = await locatePostgresBinaries();
  const account = await chooseServerAccount(dataDirectory, [initdb, pgCtl]);
  const password = await ensureCluster(initdb, account, dataDirectory, durable);

  const running = await findRunningPostmaster(dataDirectory);
  const postmaster = running ?? (await launch(pgCtl, account, dataDirectory, options));
  return {
    url: `postgres://${superuser}:${password}@127.0.0.1:${postmaster.port}/postgres`,
    port: postmaster.port,
    pid: postmaster.pid,
    alreadyRunning: running !== undefined,
    stop: async () => {
      if (await findRunningPostmaster(dataDirectory)) await shutDown(pgCtl, account, dataDirectory);
    },
  };
}

/** Ends the server that a killed parent left running on this data. False when there is none. */
export async function stopEmbeddedPostgres(dataDirectory: string): Promise<boolean> {
  const directory = resolve(dataDirectory);
  if ((await findRunningPostmaster(directory)) === undefined) return false;
  const { pgCtl } = await locatePostgresBinaries();
  await shutDown(pgCtl, await chooseServerAccount(directory, [pgCtl]), directory);
  return true;
}

async function shutDown(pgCtl: string, account: ServerAccount, dataDirectory: string): Promise<void> {
  await account.run(pgCtl, ['stop', `--pgdata=${dataDirectory}`, '--mode=fast', '-w', '-t', '60']);
}

async function launch(
  pgCtl: string,
  account: ServerAccount,
  dataDirectory: string,
  options: EmbeddedPostgresOptions,
): Promise<Postmaster> {
  const logFile = resolve(options.logFile);
  openLog(logFile, account);
  const start = async (attempt: number): Promise<Postmaster> => {
    const logStart = statSync(logFile).size;
    const all = { ...settings, ...(options.fsync === false ? withoutFsync : {}), ...options.settings };
    const preferred = attempt === 1 ? options.preferredPort : undefined;
    const flags = Object.entries({
      ...all,
      port: preferred ?? (await freePort(attempt === 1 ? lastPort(dataDirectory) : 0)),
    }).map(([name, value]) => `-c ${name}=${value}`);
    try {
      const args = [`--pgdata=${dataDirectory}`, `--log=${logFile}`, '-o', flags.join(' ')];
      await account.run(pgCtl, ['start', ...args, '-s', '-w', '-t', '300']);
      const postmaster = await findRunningPostmaster(dataDirectory);
      if (postmaster) return postmaster;
      throw new Error('it stopped again at once');
    } catch (error) {
      const said = readFileSync(logFile).subarray(logStart).toString('utf8').trim();
      throw new StartFailed(
        `PostgreSQL did not start: ${causeIn(said) ?? lastLineOf(error)} (log: ${logFile})`,
        passing.test(said),
      );
    }
  };
  return retry(start, {
    attempts: startAttempts,
    firstPauseMs: startPauseMs,
    longestPauseMs: startPauseMs,
    mayPass: (error) => error instanceof StartFailed && error.mayPass,
  });
}

class StartFailed extends EmbeddedPostgresError {
  constructor(
    message: string,
    readonly mayPass: boolean,
  ) {
    super(message);
  }
}

/** The log belongs to the server's account, which may not be allowed to create files in the folder. */
function openLog(logFile: string, account: ServerAccount): void {
  try {
    mkdirSync(dirname(logFile), { recursive: true });
    if (existsSync(logFile) && statSync(logFile).size > rotateAboveBytes) renameSync(logFile, `${logFile}.1`);
    closeSync(openSync(logFile, 'a', 0o600));
    account.own(logFile);
  } catch (error) {
    throw new EmbeddedPostgresError(
      `The log file ${logFile} is not writable for this user (${errorCode(error)})`,
    );
  }
}

function lastLineOf(error: unknown): string {
  return error instanceof Error ? (error.message.trim().split('\n').at(-1) ?? '') : String(error);
}

/** The port of the server's last start, so that processes that know its address find it again. 0: none. */
function lastPort(dataDirectory: string): number {
  const file = join(dataDirectory, 'postmaster.opts');
  return existsSync(file) ? Number(/port=(\d+)/.exec(readFileSync(file, 'utf8'))?.[1] ?? 0) : 0;
}

/** The preferred port if it was free a moment ago, otherwise any other. */
export async function freePort(preferred = 0): Promise<number> {
  const server = createServer();
  try {
    await new Promise<void>((listening, failed) => {
      server.once('error', failed);
      server.listen(preferred, '127.0.0.1', listening);
    });
    // It listens on a port, not on a pipe.
    return (server.address() as AddressInfo).port;
  } catch (error) {
    if (preferred === 0) throw error;
    return await freePort(0);
  } finally {
    await new Promise((closed) => server.close(closed));
  }
}
