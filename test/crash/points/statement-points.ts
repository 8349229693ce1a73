import pg from 'pg';
import { renderDispatcher } from '#application/process-managers/process-managers.js';
import type { Recorder } from './recorder.js';

/**
 * Awaits of PostgreSQL that go through no port: snapshots, checkpoints, rows of the read models, and tasks in
 * pg-boss. The connection and the statement identify each of them.
 */
export class StatementPoints {
  /** Consumers that got events. A checkpoint also moves when nothing happens; such a move is not a point. */
  private readonly busy = new Set<string>();

  constructor(private readonly recorder: Recorder) {}

  delivered(consumer: string): void {
    this.busy.add(consumer);
  }

  forget(): void {
    this.busy.clear();
  }

  install(): void {
    const { query } = pg.Client.prototype;
    type Query = (this: pg.Client, ...args: unknown[]) => unknown;
    const { recorder } = this;
    const pointOf = (client: pg.Client, config: unknown) => this.pointOf(client, config);
    const recorded: Query = function (this: pg.Client, ...args) {
      const point = pointOf(this, args[0]);
      if (point === undefined) return (query as Query).apply(this, args);
      const points = [`${recorder.role}:${point}`];
      // A fetch that finds no task only polls, and is not a point.
      const certain = point !== 'queue.fetch@pg-boss';
      const passage = recorder.enter(points, certain);
      const came = (result: pg.QueryResult | undefined) => {
        if (certain || (result?.rows.length ?? 0) > 0) recorder.leave(points, passage, certain);
      };
      const callback = args.at(-1);
      if (typeof callback === 'function') {
        const answer = (error: unknown, result: pg.QueryResult | undefined) => {
          came(result);
          (callback as (error: unknown, result: unknown) => void)(error, result);
        };
        return (query as Query).apply(this, [...args.slice(0, -1), answer]);
      }
      const sent = (query as Query).apply(this, args) as Promise<pg.QueryResult>;
      return sent.then((result) => {
        came(result);
        return result;
      });
    };
    // Types do not show which overload of pg is called, so the arguments are passed on unchanged.
    pg.Client.prototype.query = recorded as typeof query;
  }

  private pointOf(client: pg.Client, config: unknown): string | undefined {
    const statement = typeof config === 'string' ? { text: config } : (config as Statement);
    const { name = '', text } = statement;
    const { application_name: connection = '' } = (client as unknown as Connected).connectionParameters;
    if (connection === 'atelier-render-queue') return ofQueue(text);
    if (name.startsWith('event_store.snapshot-'))
      return `snapshots.${name.slice('event_store.snapshot-'.length)}@account-writer`;
    if (connection.startsWith('atelier.projections.test') && this.busy.size > 0)
      return connection.endsWith('.loader') ? ofLoader(name) : this.ofCommits(statement);
    return undefined;
  }

  /** Names the statement among those that the tasks of an environment commit together. */
  private ofCommits({ name = '', text, values }: Statement): string | undefined {
    if (text === 'begin' || text === 'commit') return `transaction.${text}@commit-queue`;
    if (name.startsWith('move process'))
      return this.busy.has(String(values?.[0]))
        ? `process.move-checkpoint@${String(values?.[0])}`
        : undefined;
    if (/^\s*with served /.test(text)) return `queue.turns@${renderDispatcher}`;
    if (text.includes('pgboss.job') && /insert into/i.test(text)) return `queue.insert@${renderDispatcher}`;
    return name !== '' || asideFromCommits.test(text)
      ? undefined
      : `transaction.${text.trim().slice(0, 40)}@${renderDispatcher}`;
  }
}

/** Statements that claim and check a task's place, and those that a batch adds to its transaction. */
const asideFromCommits =
  /pg_try_advisory_lock|_checkpoints|read_store\.|to_regclass|synchronous_commit|^(select 1|rollback)$/;

interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
}

interface Connected {
  readonly connectionParameters: { readonly application_name?: string };
}

/** Undefined: supervision, heartbeats and the like, which no task waits for. */
function ofQueue(text: string): string | undefined {
  if (text.includes('retry_count = CASE WHEN started_on IS NOT NULL')) return 'queue.fetch@pg-boss';
  if (text.includes('SET completed_on =')) return 'queue.complete@pg-boss';
  if (text.includes('deleted_jobs AS') && text.includes('ANY($2::uuid[])')) return 'queue.fail@pg-boss';
  if (text.includes('WITH o AS (SELECT $1::text::jsonb AS data)')) return 'queue.delay@pg-boss';
  return undefined;
}

/** Loads rows in one round trip. */
function ofLoader(name: string): string {
  if (name === 'load stream revisions') return 'projections.load-revisions@stream-continuity';
  return 'projections.load-rows@projection-session';
}
