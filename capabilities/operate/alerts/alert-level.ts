import type { Environment } from '#domain/streams.js';
import { sqlState } from '#platform/postgres.js';
import type { Queries } from '#read-store/data-source.js';

/** The alerts that were told, and the messages that did not arrive. */
export interface AlertLevel {
  readonly told: readonly {
    readonly env: Environment | null;
    readonly what: string;
    readonly since: Date;
    readonly told_at: Date;
  }[];
  /** By host: messages that it did not take although it was called. */
  readonly undelivered: readonly {
    readonly host: string;
    readonly messages: number;
    readonly oldest_seconds: number;
    readonly error: string | null;
  }[];
}

/** A receiver that is away for less than this is called again soon. */
const patienceSeconds = 300;

/** Nothing, before the tables are there. */
export async function readAlertLevel(database: Queries): Promise<AlertLevel> {
  const rows = async <Row>(text: string) => (await database.query(text)).rows as Row[];
  try {
    const [told, undelivered] = await Promise.all([
      rows<AlertLevel['told'][number]>(
        `select environment as env, what, since, told_at from read_store.alerts
          where told_at is not null order by since, alert`,
      ),
      rows<AlertLevel['undelivered'][number]>(
        `select host, count(*)::integer as messages,
            greatest(0, extract(epoch from now() - min(created_at)))::integer as oldest_seconds,
            (array_agg(error order by next_attempt_at desc))[1] as error
          from read_store.alert_messages where attempts > 0 group by host order by host`,
      ),
    ]);
    return { told, undelivered };
  } catch (error) {
    if (sqlState(error) === '42P01') return { told: [], undelivered: [] };
    throw error;
  }
}

export function complaintsAboutAlerts({ undelivered }: AlertLevel): string[] {
  return undelivered
    .filter(({ oldest_seconds: oldest }) => oldest > patienceSeconds)
    .map(
      ({ host, messages, oldest_seconds: oldest, error }) =>
        `${host} does not take ${messages} ${messages === 1 ? 'alert' : 'alerts'}, the first for ${oldest} s: ${error}`,
    );
}
