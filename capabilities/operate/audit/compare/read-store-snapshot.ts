import pg from 'pg';
import type { Environment } from '#domain/streams.js';
import { openTasks, schema as queueSchema } from '#render-queue/queue-levels.js';
import { setTimeout as pause } from 'node:timers/promises';
import { generationShown } from '../database/check-catalogue.js';
import { readCatalogue, type CatalogueFact } from '../database/read-catalogue.js';
import type { ColumnKind, ReadModelFold } from '../rows/folded-rows.js';

/** A read model that serves, as `read_store.projections` had it when the snapshot was taken. */
export interface ServingModel {
  readonly environment: Environment;
  readonly name: string;
  readonly generation: number;
  readonly state: string;
  readonly haltedBecause: string | null;
  /** The rows are those of the history up to this position; undefined: no events were folded yet. */
  readonly position: bigint | undefined;
  /** By the shape of a fold, the position up to which that fold made the rows. */
  readonly foldedTo: Readonly<Record<string, string>>;
}

export interface ParkedRows {
  readonly environment: Environment;
  readonly name: string;
  readonly stream: string;
  readonly events: number;
  readonly revision: number;
  readonly error: string | null;
}

/** The answer that promised a job, kept under an Idempotency-Key. */
export interface KeptAnswer {
  readonly tenant: string;
  readonly endpoint: string;
  readonly key: string;
  readonly jobId: string;
  readonly requestId: string;
  /** The id in the row's own column, beside the answer. */
  readonly ownJobId: string;
  readonly ownRequestId: string;
  readonly creditsCost: number;
}

const rowsPerPage = 2000;

/**
 * A switch of generations may come between two queries. So a wrong view is only reported after it was wrong
 * three times.
 */
const looks = 3;
const lookAgainMs = 300;

/**
 * The read store at one moment: rows and checkpoints fit together, although commits go on while they are read. It reads
 * the tables that the views showed at that moment, because a view may be switched to another generation meanwhile.
 * Locks keep these tables from being dropped.
 */
export class ReadStoreSnapshot implements AsyncDisposable {
  private constructor(
    /** In the transaction of the snapshot. */
    readonly client: pg.Client,
    readonly serving: readonly ServingModel[],
    readonly parked: readonly ParkedRows[],
    /** The objects in PostgreSQL's catalogue of the schemas of the read store and of the queue. */
    readonly catalogue: readonly CatalogueFact[],
  ) {}

  /** @throws what PostgreSQL says, for example when there are no tables */
  static async take(url: string, environments: readonly Environment[]): Promise<ReadStoreSnapshot> {
    for (let look = 1; ; look++) {
      const snapshot = await ReadStoreSnapshot.look(url, environments);
      const astray = snapshot.serving.some((model) => snapshot.generationShown(model) !== model.generation);
      if (!astray || look === looks) return snapshot;
      await snapshot[Symbol.asyncDispose]();
      await pause(lookAgainMs);
    }
  }

  private static async look(url: string, environments: readonly Environment[]): Promise<ReadStoreSnapshot> {
    const client = new pg.Client({ connectionString: url, application_name: 'atelier-audit' });
    // The next query notices a connection that broke while idle.
    client.on('error', () => undefined);
    await client.connect();
    try {
      await client.query('begin isolation level repeatable read read only');
      // The history is read while this transaction is open.
      await client.query('set local idle_in_transaction_session_timeout = 0');
      await client.query('set local statement_timeout = 0');
      // Functions of other schemas may bear the names of PostgreSQL's own.
      await client.query('set local search_path = pg_catalog');
      const serving = await client.query<Omit<ServingModel, 'position'> & { position: string | null }>(
        `select environment, name, generation, state, halted_because as "haltedBecause", position::text,
            folded_to as "foldedTo"
          from read_store.projections where environment = any($1) and state in ('live', 'halted')`,
        [environments],
      );
      const parked = await client.query<ParkedRows>(
        `select p.environment, p.name, p.stream, count(*)::integer as events,
            min(p.revision)::integer as revision, min(p.error) as error
          from read_store.parked_events p
          join read_store.projections known using (environment, name, generation)
          where p.environment = any($1) and known.state in ('live', 'halted')
          group by p.environment, p.name, p.stream order by p.environment, p.name, p.stream`,
        [environments],
      );
      const models = serving.rows.map(({ position, ...rest }) => ({
        ...rest,
        position: position === null ? undefined : BigInt(position),
      }));
      const tables = models.map(tableOf);
      if (tables.length > 0) await client.query(`lock table ${tables.join(', ')} in access share mode`);
      const catalogue = await readCatalogue(client, ['read_store', queueSchema, ...environments]);
      return new ReadStoreSnapshot(client, models, parked.rows, catalogue);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
  }

  /** The columns that readers see. */
  async columnsOf(model: ServingModel): Promise<string[]> {
    const { fields } = await this.client.query(`select * from ${this.shownBy(model)} limit 0`);
    return fields.map(({ name }) => name);
  }

  /** The generation that readers see; undefined: the view is gone, or shows something else. */
  generationShown(model: Pick<ServingModel, 'environment' | 'name'>): number | undefined {
    return generationShown(this.viewOf(model));
  }

  private viewOf({ environment, name }: Pick<ServingModel, 'environment' | 'name'>): string | undefined {
    const isView = ({ kind, schema, name: own }: CatalogueFact) =>
      kind === 'view' && schema === environment && own === name;
    return this.catalogue.find(isView)?.definition;
  }

  /**
   * Reads the query of the view, so that a switch of generations need not wait for this transaction. Without a
   * view, it reads the table.
   */
  private shownBy(model: ServingModel): string {
    const definition = this.viewOf(model);
    return definition === undefined ? tableOf(model) : `(${definition.replace(/;\s*$/, '')}) as shown`;
  }

  /**
   * Pages of rows. A row is a list of cells in the order of the columns. The next page loads while the current
   * one is checked.
   */
  async *rows(model: ServingModel, fold: ReadModelFold, tenant?: string): AsyncGenerator<unknown[][]> {
    const columns = fold.columns.map(({ name, kind }) => selected(name, kind)).join(', ');
    const ofTenant = tenant === undefined ? '' : ' where tenant = $1';
    const select = `select ${columns} from ${this.shownBy(model)}${ofTenant}`;
    const values = tenant === undefined ? [] : [tenant];
    await this.client.query(`declare audited no scroll cursor for ${select}`, values);
    const page = () =>
      this.client.query<unknown[]>({
        text: `fetch ${rowsPerPage} from audited`,
        rowMode: 'array',
        types: asCells,
      });
    for (let coming = page(); ;) {
      const { rows } = await coming;
      if (rows.length === 0) break;
      coming = page();
      coming.catch(() => undefined);
      yield rows;
    }
    await this.client.query('close audited');
  }

  /** The jobs of an environment that have a task which is not done; empty if there is no queue. */
  async openTasks(environment: Environment): Promise<ReadonlySet<string>> {
    const there = await this.client.query<{ there: boolean }>(
      `select to_regclass('pgboss.job') is not null as there`,
    );
    if (!there.rows[0]?.there) return new Set();
    const { rows } = await this.client.query<{ job_id: string }>(openTasks(environment));
    return new Set(rows.map(({ job_id: jobId }) => jobId));
  }

  /** Answers to dispatches that were accepted. */
  async keptAnswers(environment: Environment, tenant?: string): Promise<KeptAnswer[]> {
    const { rows } = await this.client.query<KeptAnswer>(
      `select tenant, endpoint, key, job_id as "ownJobId", request_id as "ownRequestId",
          response_body #>> '{ids,jobId}' as "jobId", response_body #>> '{ids,requestId}' as "requestId",
          (response_body ->> 'creditsCost')::float8 as "creditsCost"
        from ${environment}.idempotency_keys
        where status = 'answered' and response_body ->> 'kind' = 'accepted' and ($1::text is null or tenant = $1)`,
      [tenant ?? null],
    );
    return rows;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.query('rollback').catch(() => undefined);
    await this.client.end();
  }
}

/** The code gives both names; they are never a caller's text. */
function tableOf({ environment, name, generation }: ServingModel): string {
  return `${environment}.${name}_g${generation}`;
}

/** Times as milliseconds, to the last digit that PostgreSQL keeps. */
function selected(name: string, kind: ColumnKind): string {
  return kind === 'time' ? `extract(epoch from ${name}) * 1000` : name;
}

const { INT4, INT8, NUMERIC, JSONB } = pg.types.builtins;
const cellOfType: Readonly<Record<number, (cell: string) => unknown>> = {
  [INT4]: Number,
  [INT8]: Number,
  [NUMERIC]: Number,
  [JSONB]: (cell): unknown => JSON.parse(cell),
};

/** Values other than numbers and JSON stay text. */
const asCells: pg.CustomTypesConfig = { getTypeParser: (type: number) => cellOfType[type] ?? String };
