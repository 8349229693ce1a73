import pg from 'pg';
import type { Checkpoints } from '#application/consistency/read-your-writes.js';
import type { Environment } from '#domain/streams.js';
import type { Logger } from '#platform/logger.js';
import { retryUntilAborted } from '#platform/retry.js';
import { checkpointChannel, parseNews, serves } from './projection-checkpoints.js';
import { waitingChannel } from './read-pace.js';

interface Waiter {
  readonly position: bigint;
  readonly deadline: number;
  readonly answer: (passed: boolean) => void;
}

export interface CheckpointWatcherOptions {
  readonly url: string;
  readonly log: Logger;
  /** How often positions are read while a read waits and no announcement comes. Default 250. */
  readonly pollMs?: number;
}

/** One timer serves all waiting reads, so their deadlines are only this exact. */
const tickMs = 20;
/** The least time between two announcements that reads wait. */
const announcedMs = 5;
const firstPauseMs = 100;
const longestPauseMs = 1_500;

/**
 * Knows the position of each read model, and wakes the reads that wait for it. One connection listens to the
 * runners' announcements, which come at each commit, and polls in case one is lost. If the connection is lost,
 * a new one reads the positions again. Until then waiting reads end at their deadlines.
 */
export class CheckpointWatcher implements Checkpoints {
  /** `{environment}:{readModel}` → position. */
  private readonly positions = new Map<string, bigint>();
  private readonly waiters = new Map<string, Set<Waiter>>();
  private readonly stopping = new AbortController();
  private client: pg.Client | undefined;
  private connecting: Promise<void> | undefined;
  private ticker: NodeJS.Timeout | undefined;
  private lastNewsAt = 0;
  private announcedAt = -Infinity;
  private polling = false;

  constructor(private readonly options: CheckpointWatcherOptions) {}

  async stop(): Promise<void> {
    this.stopping.abort();
    clearInterval(this.ticker);
    for (const waiters of this.waiters.values()) for (const { answer } of waiters) answer(false);
    this.waiters.clear();
    await this.connecting?.catch(() => undefined);
    await this.client?.end();
  }

  /** The last known position of a read model; −1 when it has folded nothing yet. */
  current(environment: Environment, readModel: string): bigint {
    return this.positions.get(`${environment}:${readModel}`) ?? -1n;
  }

  /**
   * True as soon as the read model has handled all events up to `position`, false after `timeoutMs`. If the
   * read model is that far already, the answer comes at once, without a timer or a query.
   */
  waitFor(
    environment: Environment,
    readModel: string,
    position: bigint,
    timeoutMs: number,
  ): Promise<boolean> {
    if (this.current(environment, readModel) >= position) return Promise.resolve(true);
    if (this.stopping.signal.aborted) return Promise.resolve(false);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const id = `${environment}:${readModel}`;
    const waiters = this.waiters.get(id) ?? new Set();
    this.waiters.set(id, waiters.add({ position, deadline: performance.now() + timeoutMs, answer: resolve }));
    this.ticker ??= setInterval(() => this.tick(), tickMs);
    this.announceWaiting();
    return promise;
  }

  /** Asks the projector not to let events gather. If this fails, the rows only come a little later. */
  private announceWaiting(): void {
    const now = performance.now();
    if (now - this.announcedAt < announcedMs) return;
    this.announcedAt = now;
    this.client?.query(`notify ${waitingChannel}`).catch(() => undefined);
  }

  /** Resolves when the positions are known. From then on the watcher replaces a lost connection by itself. */
  async start(): Promise<void> {
    const { url, log } = this.options;
    const client = new pg.Client({
      connectionString: url,
      application_name: 'atelier-watcher',
      keepAlive: true,
      query_timeout: 10_000,
      connectionTimeoutMillis: 5_000,
    });
    client.on('error', (error) =>
      log.warn({ err: error }, 'the connection of the checkpoint watcher failed'),
    );
    client.on('end', () => this.lose(client));
    client.on('notification', ({ payload }) => this.hear(payload));
    try {
      await client.connect();
      // It listens first and reads second, so that no commit in between is missed.
      await client.query(`listen ${checkpointChannel}`);
      // A server that crashed may have lost the last commits of a read model. So the old positions are
      // forgotten: they may promise too much.
      this.positions.clear();
      await this.read(client);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    this.client = client;
  }

  private lose(client: pg.Client): void {
    if (this.client !== client) return;
    this.client = undefined;
    if (!this.stopping.signal.aborted) this.connecting = this.reconnect();
  }

  private async reconnect(): Promise<void> {
    const { log } = this.options;
    log.warn('the checkpoint watcher lost its connection');
    await retryUntilAborted(
      async () => {
        await this.start();
        log.info('the checkpoint watcher is connected again');
      },
      {
        signal: this.stopping.signal,
        firstPauseMs,
        longestPauseMs,
        onFailure: (err, retryMs) => log.warn({ err, retryMs }, 'the checkpoint watcher cannot connect'),
      },
    );
  }

  private async read(client: pg.Client): Promise<void> {
    const { rows } = await client.query<{ id: string; position: string }>(
      `select environment || ':' || name as id, position from read_store.projections
        where ${serves} and position is not null`,
    );
    for (const { id, position } of rows) this.pass(id, BigInt(position));
  }

  private hear(payload: string | undefined): void {
    const news = parseNews(payload);
    if (!news) return;
    this.lastNewsAt = performance.now();
    for (const readModel of news.readModels) this.pass(`${news.environment}:${readModel}`, news.position);
  }

  private pass(id: string, position: bigint): void {
    if (position <= (this.positions.get(id) ?? -1n)) return;
    this.positions.set(id, position);
    const waiters = this.waiters.get(id) ?? new Set();
    for (const waiter of waiters) {
      if (waiter.position > position) continue;
      waiters.delete(waiter);
      waiter.answer(true);
    }
  }

  private tick(): void {
    const now = performance.now();
    let waiting = 0;
    for (const waiters of this.waiters.values()) {
      for (const waiter of waiters) {
        if (waiter.deadline > now) continue;
        waiters.delete(waiter);
        waiter.answer(false);
      }
      waiting += waiters.size;
    }
    if (waiting === 0) {
      clearInterval(this.ticker);
      this.ticker = undefined;
    } else if (now - this.lastNewsAt > (this.options.pollMs ?? 250)) this.poll();
  }

  private poll(): void {
    const { client } = this;
    if (this.polling || !client) return;
    this.polling = true;
    this.lastNewsAt = performance.now();
    this.read(client)
      .catch((error: unknown) => {
        this.options.log.warn({ err: error }, 'the positions could not be read');
        return client.end();
      })
      .finally(() => (this.polling = false));
  }
}
