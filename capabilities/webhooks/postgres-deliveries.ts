import type {
  AttemptVerdict,
  DeliveriesFilter,
  Delivery,
  DeliveryAttempt,
  DeliveryWithAttempts,
  NewDelivery,
} from './deliveries.js';
import type { Environment } from '#domain/streams.js';
import type { ResendScope } from './webhook.events.js';
import type { DeliveryTask } from './delivery.task.js';
import type { QueueTransaction } from '#render-queue/render-queue.js';
import type { Queries } from '#read-store/data-source.js';

/**
 * An endpoint that got no call for longer than this has not failed all the time, so the count of days begins
 * anew.
 */
const longestSilence = '2 days';

/** The most deliveries that one request sends again. */
const mostResent = 10_000;

const task = `endpoint_id as "endpointId", delivery_id as "deliveryId", round`;

/**
 * Deliveries and their attempts: the knowledge about messages that is not in the log (ADR 29). It is in the tables
 * `webhook_deliveries`, `webhook_attempts` and `webhook_health` of each environment.
 */
export class Deliveries {
  constructor(private readonly database: Queries) {}

  /** Part of the caller's transaction. @returns tasks for the deliveries that are new */
  async add(
    environment: Environment,
    deliveries: readonly NewDelivery[],
    transaction: QueueTransaction,
  ): Promise<DeliveryTask[]> {
    if (deliveries.length === 0) return [];
    const column = (name: keyof NewDelivery) => deliveries.map((delivery) => delivery[name]);
    const { rows } = await transaction.query(
      `insert into ${environment}.webhook_deliveries (delivery_id, tenant, endpoint_id, type, body, occurred_at, mac)
         select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::text[])
         on conflict do nothing returning ${task}`,
      (['deliveryId', 'tenant', 'endpointId', 'type', 'body', 'occurredAt', 'mac'] as const).map(column),
    );
    return asTasks(environment, rows);
  }

  /** Makes deliveries pending anew, once for each moment of request. Part of the caller's transaction. */
  async resend(
    environment: Environment,
    {
      endpointId,
      scope,
      at,
    }: { readonly endpointId: string; readonly scope: ResendScope; readonly at: string },
    transaction: QueueTransaction,
  ): Promise<DeliveryTask[]> {
    const [condition, ...values] = withinScope(scope);
    const { rows } = await transaction.query(
      `update ${environment}.webhook_deliveries
         set status = 'pending', round = round + 1, attempts = 0, next_attempt_at = null, resent_at = $2
         where delivery_id in (
           select delivery_id from ${environment}.webhook_deliveries
             where endpoint_id = $1 and (resent_at is null or resent_at < $2) and ${condition}
             order by delivery_id limit ${mostResent})
         returning ${task}`,
      [endpointId, at, ...values],
    );
    return asTasks(environment, rows);
  }

  async find(environment: Environment, deliveryId: string): Promise<Delivery | undefined> {
    const [found] = await this.rows<Delivery>(
      `select ${deliveryColumns}, mac from ${environment}.webhook_deliveries where delivery_id = $1`,
      [deliveryId],
    );
    return found;
  }

  /** The messages about a job to endpoints of its tenant, the oldest first. */
  async ofJob(environment: Environment, tenant: string, jobId: string): Promise<Omit<Delivery, 'mac'>[]> {
    return this.rows<Omit<Delivery, 'mac'>>(
      `select ${deliveryColumns} from ${environment}.webhook_deliveries
         where tenant = $1 and body::json #>> '{data,job_id}' = $2 order by occurred_at, delivery_id`,
      [tenant, jobId],
    );
  }

  /**
   * Stores an attempt and the new state of its delivery, unless the delivery was sent again meanwhile.
   * @returns since when the endpoint has failed without a success or a long silence; undefined after a success
   */
  async record(
    environment: Environment,
    { deliveryId, endpointId, round }: Delivery,
    { at, durationMs, statusCode, answer, error }: DeliveryAttempt,
    verdict: AttemptVerdict,
  ): Promise<Date | undefined> {
    const retryAt = verdict.kind === 'failed' ? verdict.retryAt : null;
    const [health] = await this.rows<{ failingSince: Date | null }>(
      `with attempt as (
         insert into ${environment}.webhook_attempts (delivery_id, at, duration_ms, status_code, answer, error)
           values ($1, $4, $5, $6, $7, $8)
       ), moved as (
         update ${environment}.webhook_deliveries set status = $9, attempts = attempts + 1, next_attempt_at = $10
           where delivery_id = $1 and round = $3 and status = 'pending'
       )
       insert into ${environment}.webhook_health as known (endpoint_id, failing_since, failed_at)
         values ($2, $11::timestamptz, $11::timestamptz)
         on conflict (endpoint_id) do update set
           failing_since = case
             when known.failed_at >= excluded.failed_at - interval '${longestSilence}' then known.failing_since
             else excluded.failing_since end,
           failed_at = excluded.failed_at
         returning failing_since as "failingSince"`,
      [
        deliveryId,
        endpointId,
        round,
        at,
        durationMs,
        statusCode,
        answer,
        error,
        verdict.kind === 'delivered' ? 'delivered' : retryAt ? 'pending' : 'failed',
        retryAt,
        verdict.kind === 'delivered' ? null : at,
      ],
    );
    return health?.failingSince ?? undefined;
  }

  /** Ends a delivery without an attempt. */
  async giveUp(
    environment: Environment,
    { deliveryId, round }: Delivery,
    error: string,
    at: Date,
  ): Promise<void> {
    await this.rows(
      `with moved as (
         update ${environment}.webhook_deliveries set status = 'failed', next_attempt_at = null
           where delivery_id = $1 and round = $2 and status = 'pending' returning delivery_id
       )
       insert into ${environment}.webhook_attempts (delivery_id, at, duration_ms, error)
         select delivery_id, $3, 0, $4 from moved`,
      [deliveryId, round, at, error],
    );
  }

  /** Newest first. */
  async list(
    environment: Environment,
    tenant: string,
    { endpointId, status, limit, offset }: DeliveriesFilter,
  ): Promise<{ items: DeliveryWithAttempts[]; total: number }> {
    const rows = await this.rows<{ total: number; item: StoredDelivery | null }>(
      `with wanted as (
         select * from ${environment}.webhook_deliveries
           where tenant = $1 and endpoint_id = $2 and ($3::text is null or status = $3)
       ), page as (
         select ${deliveryColumns}, coalesce(
             (select json_agg(json_build_object('at', at, 'durationMs', duration_ms, 'statusCode', status_code,
                 'answer', answer, 'error', error) order by attempt)
               from ${environment}.webhook_attempts attempt where attempt.delivery_id = wanted.delivery_id), '[]') as made
           from wanted order by occurred_at desc, delivery_id desc limit $4 offset $5
       )
       select (select count(*)::integer from wanted) as total, to_json(page) as item
         from (select 1) one left join page on true`,
      [tenant, endpointId, status ?? null, limit, offset],
    );
    const items = rows.flatMap(({ item }) => (item ? [fromJson(item)] : []));
    return { items, total: rows[0]?.total ?? 0 };
  }

  /** Pending deliveries that should have been attempted long ago: the queue may have lost their tasks. */
  async overdue(environment: Environment, before: Date, limit: number): Promise<DeliveryTask[]> {
    const rows = await this.rows(
      `select ${task} from ${environment}.webhook_deliveries
         where status = 'pending' and coalesce(next_attempt_at, resent_at, created_at) < $1 limit $2`,
      [before, limit],
    );
    return asTasks(environment, rows);
  }

  /** Forgets deliveries about events before this time. */
  async forgetBefore(environment: Environment, before: Date): Promise<void> {
    await this.rows(`delete from ${environment}.webhook_deliveries where occurred_at < $1`, [before]);
  }

  private async rows<Row>(text: string, values: unknown[]): Promise<Row[]> {
    // Each statement names and types its columns for the code that reads them.
    return (await this.database.query(text, values)).rows as Row[];
  }
}

const deliveryColumns = `delivery_id as "deliveryId", tenant, endpoint_id as "endpointId", type, body,
  occurred_at as "occurredAt", status, round, attempts, next_attempt_at as "nextAttemptAt"`;

/** A condition that begins with `$3`, and its values. */
function withinScope(scope: ResendScope): [condition: string, ...values: string[]] {
  switch (scope.kind) {
    case 'delivery':
      return ['delivery_id = $3', scope.deliveryId];
    case 'period':
      return ['occurred_at >= $3 and occurred_at < $4', scope.since, scope.until];
    case 'failed':
      return [`status = 'failed'`];
    default:
      return scope satisfies never;
  }
}

function asTasks(environment: Environment, rows: readonly unknown[]): DeliveryTask[] {
  // The statements above name and type the columns.
  return (rows as Omit<DeliveryTask, 'environment'>[]).map((row) => ({ environment, ...row }));
}

type InJson<Row> = { readonly [Name in keyof Row]: Row[Name] extends Date ? string : Row[Name] };

/** The form that `to_json` writes: times are text. */
interface StoredDelivery extends Omit<DeliveryWithAttempts, 'occurredAt' | 'nextAttemptAt' | 'made'> {
  readonly occurredAt: string;
  readonly nextAttemptAt: string | null;
  readonly made: readonly InJson<DeliveryAttempt>[];
}

function fromJson({ occurredAt, nextAttemptAt, made, ...rest }: StoredDelivery): DeliveryWithAttempts {
  return {
    ...rest,
    occurredAt: new Date(occurredAt),
    nextAttemptAt: nextAttemptAt === null ? null : new Date(nextAttemptAt),
    made: made.map((attempt) => ({ ...attempt, at: new Date(attempt.at) })),
  };
}
