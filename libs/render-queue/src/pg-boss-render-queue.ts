import { setTimeout as sleep } from 'node:timers/promises';
import { PgBoss, type Db } from 'pg-boss';
import { v5 } from 'uuid';
import { installed } from '#capabilities/installed.js';
import { environments, type Environment } from '#domain/streams.js';
import { listenTo } from '#platform/listening.js';
import type { Logger } from '#platform/logger.js';
import { fairTurns, prepareFairTurns } from './fair-turns.js';
import { PgBossModelPlaces, prepareModelPlaces, type ModelPlaces } from './model-places.js';
import { queueName, queueNames, schema } from './queue-levels.js';
import type {
  QueueKind,
  QueueTransaction,
  RenderQueue,
  RenderTask,
  TaskHandler,
  TaskQueue,
  TaskQueues,
  WorkOptions,
} from './render-queue.js';

export interface PgBossSettings {
  readonly url: string;
  readonly logger: Logger;
  /** Silence after which a worker counts as dead and its tasks are handed out again. Default 10. */
  readonly heartbeatSeconds?: number;
  /** How often the processes look for dead workers; they take turns. Default 5. */
  readonly superviseSeconds?: number;
  /** False for a process that only fills the queue: the workers supervise it. Default true. */
  readonly supervise?: boolean;
}

const applicationName = 'atelier-render-queue';

/** Names tasks: the same job always gives the same id. A fixed UUID namespace of this queue. */
const namespace = 'b0a5f7d2-3c58-5c0e-9a53-6c2f4a5f3e90';

const day = 24 * 60 * 60;

/** How long an aborted task may take to end. */
const obedienceMs = 2000;

/** How far the database's clock may lag behind a timer. */
const marginMs = 20;

/** pg-boss refuses a shorter heartbeat through its own functions. */
const shortestHeartbeatSeconds = 10;

const usualSettings = { heartbeatSeconds: shortestHeartbeatSeconds, superviseSeconds: 5, supervise: true };

/** Idle slots that look for remote tasks. With fifty, all would look at every new task. */
const spareSlots = 2;

/** Bounds the tasks that a process runs at the same time. Idle slots open as tasks come, and close as tasks end. */
class Slots {
  private busy = 0;
  private idle = 0;

  constructor(
    private readonly most: number,
    private readonly spare: number,
  ) {}

  /** Reserves one more slot, if the bounds allow it. @returns whether to open it */
  open(): boolean {
    if (this.idle >= this.spare || this.busy + this.idle >= this.most) return false;
    this.idle++;
    return true;
  }

  /** An idle slot has got a task. @returns whether to open another idle slot */
  take(): boolean {
    this.idle--;
    this.busy++;
    return this.open();
  }

  /** A task has ended. @returns whether its slot stays, to look for the next one */
  give(): boolean {
    this.busy--;
    return this.open();
  }
}

export function taskId({ environment, jobId }: Pick<RenderTask, 'environment' | 'jobId'>): string {
  return v5(`${environment}/${jobId}`, namespace);
}

/** The facts in which the queues differ. */
interface OwnQueues<Task> {
  /** In the order in which one transaction fills several. */
  readonly names: readonly string[];
  nameOf(of: { readonly environment: Environment; readonly remote?: boolean | undefined }): string;
  /** The same task has the same id. */
  idOf(task: Task): string;
  /** The group of a task, such as its tenant, bounded by {@link WorkOptions.tenantConcurrency}. */
  groupOf(task: Task): string;
  /** Whether tenants take turns. Otherwise older tasks come first. */
  readonly fair: boolean;
  readonly pollSeconds: number;
}

interface SomeTask {
  readonly environment: Environment;
  readonly remote?: boolean;
}

/** The queues of one kind, on a pg-boss that it shares. */
class PgBossQueue<Task extends SomeTask> implements TaskQueue<Task> {
  private readonly stopping = new AbortController();
  private stopped: Promise<void> | undefined;
  /** Worker ids of pg-boss, one for each slot, with their queues. */
  private readonly workers = new Map<string, string>();

  constructor(
    protected readonly boss: PgBoss,
    protected readonly settings: Required<PgBossSettings>,
    private readonly kind: OwnQueues<Task>,
  ) {}

  /** Makes the queues that are missing; several processes may do so at once. */
  async open(): Promise<void> {
    const { fair, names } = this.kind;
    if (fair) await prepareFairTurns(this.boss.getDb(), names);
    for (const name of names) await this.prepare(name);
  }

  async enqueue(tasks: readonly Task[], transaction: QueueTransaction): Promise<void> {
    const db: Db = {
      executeSql: async (text, values) => ({ rows: (await transaction.query(text, values)).rows }),
    };
    const queues = Map.groupBy(tasks, this.kind.nameOf);
    // Done before the transaction takes a lock, because the queue's only connection may have to wait for that
    // lock.
    for (const name of queues.keys()) await this.learn(name);
    // Always in this order, so that transactions that fill several queues do not deadlock.
    for (const name of this.kind.names) {
      const inQueue = queues.get(name);
      if (inQueue) await this.insert(name, new Map(inQueue.map((task) => [this.kind.idOf(task), task])), db);
    }
  }

  async requeue(tasks: readonly Task[]): Promise<number> {
    if (!(await this.isWhole())) await this.repair();
    let added = 0;
    for (const [name, own] of Map.groupBy(tasks, this.kind.nameOf)) {
      const byId = new Map(own.map((task) => [this.kind.idOf(task), task]));
      const forget = `delete from ${schema}.job where name = $1 and id = any($2::uuid[]) and state > 'active'`;
      await this.boss.getDb().executeSql(forget, [name, [...byId.keys()]]);
      added += await this.insert(name, byId, this.boss.getDb());
    }
    return added;
  }

  async repair(): Promise<void> {
    const maker = await PgBossRenderQueue.start({ ...this.settings, supervise: false });
    await maker.stop(0);
  }

  /**
   * The queues are made last. If the process that made them ended too early they are missing, and pg-boss then silently
   * drops tasks.
   */
  private async isWhole(): Promise<boolean> {
    const names = [...queueNames, ...queueKinds.flatMap(namesOf)];
    const count = `select count(*)::int as made from ${schema}.queue where name = any($1)`;
    const { rows } = await this.boss.getDb().executeSql(count, [names]);
    // The column is named and typed by the statement.
    return (rows as { made: number }[])[0]?.made === names.length;
  }

  async work(environment: Environment, options: WorkOptions, handler: TaskHandler<Task>): Promise<void> {
    const slots = new Slots(options.concurrency, options.remote ? spareSlots : options.concurrency);
    // One pg-boss worker per slot: that gives each slot an id under which it can be woken.
    while (slots.open()) await this.workOne(environment, slots, options, handler);
  }

  /** A second call waits for the stop that is under way, with that stop's grace period. */
  stop(graceMs: number): Promise<void> {
    return (this.stopped ??= this.stopOnce(graceMs));
  }

  protected async stopOnce(graceMs: number): Promise<void> {
    const drained = Promise.all(this.kind.names.map((name) => this.boss.offWork(name, { wait: true })));
    await Promise.race([drained, sleep(graceMs, undefined, { ref: false })]);
    this.stopping.abort(new Error('the worker stops'));
    // A task that ignores its signal is given back all the same; the job's stream refuses its late events.
    await Promise.race([drained, sleep(obedienceMs, undefined, { ref: false })]);
  }

  /** Queues that exist already get the changed options of a new release. */
  private async prepare(name: string): Promise<void> {
    const { heartbeatSeconds } = this.settings;
    const options = {
      notify: true,
      heartbeatSeconds: Math.max(heartbeatSeconds, shortestHeartbeatSeconds),
      // The longest time a task may be held, heartbeats or not.
      expireInSeconds: 900,
      // The job's own stream bounds the attempts, and then refunds. A task that the queue gave up would leave
      // its job unfinished and its charge open for ever.
      retryLimit: 1_000_000,
      retryDelay: 1,
      retryBackoff: true,
      retryDelayMax: 60,
      retentionSeconds: 365 * day,
      // Ended tasks are no longer needed, and supervision counts every row that still exists.
      deleteAfterSeconds: 10 * 60,
    };
    await this.boss.createQueue(name, options);
    await this.boss.updateQueue(name, options);
    await this.learn(name);
    if (heartbeatSeconds < shortestHeartbeatSeconds) {
      const shorten = `update ${schema}.queue set heartbeat_seconds = $2 where name = $1`;
      await this.boss.getDb().executeSql(shorten, [name, heartbeatSeconds]);
    }
  }

  /**
   * Loads the facts that pg-boss needs about a queue before it inserts. pg-boss reads them now and then, on its own
   * connection.
   */
  private async learn(name: string): Promise<void> {
    await this.boss.insert(name, [], { db: { executeSql: () => Promise.resolve({ rows: [] }) } });
  }

  /** @returns how many were missing */
  private async insert(name: string, tasks: ReadonlyMap<string, Task>, db: Db): Promise<number> {
    const entries = [...tasks];
    const groups = entries.map(([, task]) => this.kind.groupOf(task));
    const turns = this.kind.fair ? await fairTurns(db, name, groups) : [];
    const jobs = entries.map(([id, task], index) => ({
      id,
      data: task,
      group: { id: this.kind.groupOf(task) },
      // Higher priorities come first in pg-boss, lower turns come first here.
      priority: -(turns[index] ?? 0),
    }));
    return (await this.boss.insert(name, jobs, { db, returnId: true }))?.length ?? 0;
  }

  private async workOne(
    environment: Environment,
    slots: Slots,
    options: WorkOptions,
    handler: TaskHandler<Task>,
  ): Promise<void> {
    const name = this.kind.nameOf({ environment, remote: options.remote });
    const workerId = await this.boss.work<Task>(
      name,
      {
        batchSize: 1,
        pollingIntervalSeconds: 1,
        notifyPollingIntervalSeconds: this.kind.pollSeconds,
        groupConcurrency: options.tenantConcurrency,
      },
      async ([job]) => {
        if (!job) return;
        if (slots.take()) await this.workOne(environment, slots, options, handler);
        try {
          const outcome = await handler(job.data, AbortSignal.any([job.signal, this.stopping.signal]));
          if (outcome.kind === 'retry') await this.giveBack(name, job, outcome.afterMs);
        } finally {
          // A slot that has just finished looks for the next task at once instead of waiting out the poll.
          if (slots.give()) this.boss.notifyWorker(workerId);
          else this.close(name, workerId);
        }
      },
    );
    this.workers.set(workerId, name);
  }

  /**
   * Ends a slot. Idle slots may have skipped tasks because of this slot's task (the tenant's bound), so they
   * look again when it is settled.
   */
  private close(name: string, workerId: string): void {
    this.workers.delete(workerId);
    // The slot ends after this task, so waiting for it here would never end.
    void this.boss.offWork(name, { id: workerId, wait: true }).then(() => this.wake(name));
  }

  private wake(name: string): void {
    for (const [workerId, queue] of this.workers) if (queue === name) this.boss.notifyWorker(workerId);
  }

  /**
   * Gives a task back for another attempt after `afterMs`. Failing it here means that pg-boss finds nothing to
   * complete afterwards. Between the two steps pg-boss's own delay holds. A late worker does no harm: only the
   * attempt that was fetched is failed, and only a waiting task is delayed.
   */
  private async giveBack(
    name: string,
    job: { id: string; retryCount: number },
    afterMs: number,
  ): Promise<void> {
    await this.boss.fail(name, { id: job.id, retryCount: job.retryCount });
    await this.boss.update(name, undefined, { id: job.id, startAfter: afterMs / 1000 });
    setTimeout(() => this.wake(name), afterMs + marginMs).unref();
  }
}

/** The kinds of queues of all capabilities. */
const queueKinds = installed.flatMap(({ queues = [] }) => queues);

const nameOf = ({ name }: QueueKind<never>, environment: Environment) => `${name}-${environment}`;

const namesOf = (kind: QueueKind<never>) => environments.map((environment) => nameOf(kind, environment));

function queuesOf<Task extends SomeTask>(
  kind: QueueKind<Task>,
  { superviseSeconds }: Required<PgBossSettings>,
): OwnQueues<Task> {
  return {
    names: namesOf(kind),
    nameOf: ({ environment }) => nameOf(kind, environment),
    idOf: (task) => v5(kind.idOf(task), namespace),
    groupOf: (task) => kind.groupOf(task),
    fair: false,
    pollSeconds: kind.pollFactor * superviseSeconds,
  };
}

/**
 * The queues on pg-boss, in the schema `pgboss` of the database that also holds the checkpoints. Renders have a
 * queue in which tenants take turns; capabilities have their own. Each exists once per environment. NOTIFY
 * wakes idle workers, and the process that delays a task wakes its own workers when it is due. Polling finds
 * the other tasks: those of dead workers, and retries after a defect. It is as frequent as the search for dead
 * workers.
 */
export class PgBossRenderQueue extends PgBossQueue<RenderTask> implements RenderQueue, TaskQueues {
  private readonly opened: { readonly queue: Pick<TaskQueue<never>, 'stop'>; readonly graceMs: number }[] =
    [];
  readonly places: ModelPlaces;

  private constructor(boss: PgBoss, settings: Required<PgBossSettings>) {
    super(boss, settings, {
      names: queueNames,
      idOf: taskId,
      fair: true,
      nameOf: ({ environment, remote }) => queueName(environment, remote),
      groupOf: ({ tenant }) => tenant,
      pollSeconds: settings.superviseSeconds,
    });
    this.places = new PgBossModelPlaces(() => boss.getDb(), taskId);
  }

  /** Makes the schema and the queues that are missing; several processes may do so at once. */
  static async start(given: PgBossSettings): Promise<PgBossRenderQueue> {
    const settings = { ...usualSettings, ...given };
    const { superviseSeconds } = settings;
    const boss = new PgBoss({
      connectionString: settings.url,
      application_name: applicationName,
      schema,
      // Each of its calls is one statement, and takes milliseconds.
      max: 1,
      useListenNotify: true,
      schedule: false,
      supervise: settings.supervise,
      superviseIntervalSeconds: superviseSeconds,
      monitorIntervalSeconds: superviseSeconds,
      maintenanceIntervalSeconds: 5 * 60,
    });
    Object.assign(boss.getDb(), { listen: listenAt(settings.url) });
    // pg-boss itself retries everything that it reports here.
    boss.on('error', (error) => settings.logger.warn({ err: error }, 'render queue'));
    boss.on('warning', ({ message }) => settings.logger.warn({ warning: message }, 'render queue'));
    const queue = new PgBossRenderQueue(boss, settings);
    try {
      await boss.start();
      await queue.open();
      return queue;
    } catch (error) {
      await boss.stop({ graceful: false });
      throw error;
    }
  }

  /** Stops together with this queue. */
  of<Task extends SomeTask>(kind: QueueKind<Task>): TaskQueue<Task> {
    const queue = new PgBossQueue(this.boss, this.settings, queuesOf(kind, this.settings));
    this.opened.push({ queue, graceMs: kind.graceMs });
    return queue;
  }

  /** The connection of the queues, for short statements. */
  get database(): QueueTransaction {
    return { query: (text, values) => this.boss.getDb().executeSql(text, values) };
  }

  override async open(): Promise<void> {
    await super.open();
    await prepareModelPlaces(this.boss.getDb());
    for (const kind of queueKinds)
      await new PgBossQueue(this.boss, this.settings, queuesOf(kind, this.settings)).open();
  }

  protected override async stopOnce(graceMs: number): Promise<void> {
    const others = this.opened.map((each) => each.queue.stop(Math.min(graceMs, each.graceMs)));
    await Promise.all([super.stopOnce(graceMs), ...others]);
    await this.boss.stop({ graceful: false });
  }
}

/**
 * Replaces pg-boss's own listener. That one removes the listeners from its connection before it closes it. If
 * the server closed the connection at that moment, the process ended.
 */
function listenAt(url: string): NonNullable<Db['listen']> {
  const config = {
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  };
  return (channel, hear, onConnected) => {
    const leaving = new AbortController();
    const onChange = (listening: boolean) => {
      if (listening) onConnected();
    };
    const ended = listenTo({ config, channel, signal: leaving.signal, hear, onChange });
    const close = () => {
      leaving.abort();
      return ended;
    };
    return Promise.resolve({ close });
  };
}
