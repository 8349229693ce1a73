import { randomUUID } from 'node:crypto';
import type { Db } from 'pg-boss';
import { environments } from '#domain/streams.js';
import { queueName, schema } from './queue-levels.js';
import type { RenderTask } from './render-queue.js';

/** A place at an image model. */
export interface ModelPlace {
  /**
   * @param next whether the next task that waits for the model may come at once; false if the model would refuse it
   *   again
   */
  leave(next?: boolean): Promise<void>;
}

/** Places at image models, shared by all workers. They limit the renders that use a model at the same time. */
export abstract class ModelPlaces {
  /** @returns undefined when all are taken */
  abstract take(model: string, places: number, task: RenderTask): Promise<ModelPlace | undefined>;
  /** Tasks of the model that no worker has at the moment. */
  abstract waiting(model: string): Promise<number>;
}

/** Several processes may prepare at once: this lock lets them do it one by one. */
const preparationLock = 4_711_160_303n;

export async function prepareModelPlaces(db: Db): Promise<void> {
  await db.executeSql(`
    begin;
    select pg_advisory_xact_lock(${preparationLock});
    create table if not exists ${schema}.model_place (
      model text not null, place integer not null, task uuid not null, holder uuid not null,
      taken_at timestamptz not null default clock_timestamp(), primary key (model, place)
    );
    commit`);
}

const names = `('${environments.map((environment) => queueName(environment, true)).join(`', '`)}')`;

/**
 * Whether another task holds the place of a row. It does as long as the queue counts its worker as alive, so the place
 * of a dead worker becomes free with its task. A place that was taken less than 5 seconds ago always counts: this
 * statement may see the queue as it was before that task was handed out.
 */
const held = (row: string) => `(${row}.task <> $3 and (${row}.taken_at > now() - interval '5 seconds'
  or exists (select from ${schema}.job where name in ${names} and id = ${row}.task and state = 'active')))`;

/** If two workers take the same place at once, the primary key decides. */
const takePlace = `
  insert into ${schema}.model_place as known (model, place, task, holder)
  select $1, place, $3, $4 from generate_series(1, $2::integer) as place
    where not exists (select from ${schema}.model_place other where model = $1 and other.place = place.place and ${held('other')})
    order by random() limit 1
  on conflict (model, place) do update set task = excluded.task, holder = excluded.holder, taken_at = clock_timestamp()
    where not ${held('known')}
  returning place`;

const waitingTasks = `from ${schema}.job where name in ${names} and state < 'active' and not blocked and data->>'model' = $1`;

/** As often as workers take the same place at once. */
const tries = 4;

export class PgBossModelPlaces extends ModelPlaces {
  constructor(
    private readonly db: () => Db,
    private readonly taskId: (task: RenderTask) => string,
  ) {
    super();
  }

  async take(model: string, places: number, task: RenderTask): Promise<ModelPlace | undefined> {
    const holder = randomUUID();
    for (let left = tries; left > 0; left--) {
      const { rows } = await this.db().executeSql(takePlace, [model, places, this.taskId(task), holder]);
      if (rows.length > 0) return { leave: (next = true) => this.leave(model, holder, next) };
    }
    return undefined;
  }

  async waiting(model: string): Promise<number> {
    const { rows } = await this.db().executeSql(`select count(*)::integer as tasks ${waitingTasks}`, [model]);
    // The column is named and typed by the statement.
    return (rows as { tasks: number }[])[0]?.tasks ?? 0;
  }

  /** Makes the next waiting task due, so that the worker that is now free finds it. */
  private async leave(model: string, holder: string, next: boolean): Promise<void> {
    await this.db().executeSql(`delete from ${schema}.model_place where holder = $1`, [holder]);
    if (!next) return;
    const due = `select id ${waitingTasks} and start_after > now() order by priority desc, created_on limit 1`;
    await this.db().executeSql(
      `update ${schema}.job set start_after = now() where name in ${names} and state < 'active' and id = (${due})`,
      [model],
    );
  }
}
