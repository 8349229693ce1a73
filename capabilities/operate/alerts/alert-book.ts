import type { Queries } from '#read-store/data-source.js';
import { nameOf, type Alert, type KnownAlert } from './alert.js';
import type { Channel } from './channel.js';

/** A message that has not arrived. */
export interface WaitingMessage {
  readonly channel: string;
  readonly alert: string;
  readonly messageId: string;
  readonly body: string;
  readonly attempts: number;
}

interface NewMessage {
  readonly messageId: string;
  readonly body: string;
  readonly channels: readonly Channel[];
  readonly at: Date;
}

/** For a message that replaces one about the same alert: only the newest state of an alert is worth telling. */
const messages = `insert into read_store.alert_messages as waiting
    (channel, host, alert, message_id, body, created_at, next_attempt_at)
  select channel.id, channel.host, moved.alert, $2, $3, $4, $4
    from moved, unnest($5::text[], $6::text[]) as channel (id, host)
  on conflict (channel, alert) do update set
    host = excluded.host, message_id = excluded.message_id, body = excluded.body, created_at = excluded.created_at,
    attempts = 0, next_attempt_at = excluded.next_attempt_at, error = null`;

const valuesOf = (alert: Alert, { messageId, body, channels, at }: NewMessage) => [
  nameOf(alert),
  messageId,
  body,
  at,
  channels.map(({ id }) => id),
  channels.map(({ host }) => host),
];

/**
 * The alerts that operators know, and the messages that have not arrived. One statement changes an alert and makes its
 * messages. So if the process is killed, each alert is still told, and told once.
 */
export class AlertBook {
  /** @param database the session that holds the lock: one that has lost it cannot write */
  constructor(private readonly database: Queries) {}

  async known(): Promise<KnownAlert[]> {
    return this.rows(
      `select environment as env, what, details, since, told_at as "toldAt", gone_since as "goneSince"
        from read_store.alerts order by alert`,
    );
  }

  async stands(alert: Alert, at: Date): Promise<void> {
    await this.rows(
      `insert into read_store.alerts (alert, environment, what, details, since) values ($1, $2, $3, $4, $5)
        on conflict do nothing`,
      [nameOf(alert), alert.env, alert.what, JSON.stringify(alert.details), at],
    );
  }

  async forget(alert: Alert): Promise<void> {
    await this.rows('delete from read_store.alerts where alert = $1', [nameOf(alert)]);
  }

  async markGone(alert: Alert, since: Date | null): Promise<void> {
    await this.rows('update read_store.alerts set gone_since = $2 where alert = $1', [nameOf(alert), since]);
  }

  async tell(alert: Alert, message: NewMessage): Promise<void> {
    await this.rows(
      `with moved as (
         update read_store.alerts set told_at = $4, gone_since = null, details = $7 where alert = $1 returning alert
       ) ${messages}`,
      [...valuesOf(alert, message), JSON.stringify(alert.details)],
    );
  }

  async tellEnd(alert: Alert, message: NewMessage): Promise<void> {
    await this.rows(
      `with moved as (delete from read_store.alerts where alert = $1 returning alert) ${messages}`,
      valuesOf(alert, message),
    );
  }

  /** Messages for addresses that are no longer in the settings, and old ones, are forgotten. */
  async forgetMessages(channels: readonly Channel[], before: Date): Promise<void> {
    await this.rows('delete from read_store.alert_messages where channel <> all($1) or created_at < $2', [
      channels.map(({ id }) => id),
      before,
    ]);
  }

  /** The messages of a channel whose time has come, the oldest first. */
  async due({ id }: Channel, now: Date): Promise<WaitingMessage[]> {
    return this.rows(
      `select channel, alert, message_id as "messageId", body, attempts from read_store.alert_messages
        where channel = $1 and next_attempt_at <= $2 order by created_at, alert`,
      [id, now],
    );
  }

  async arrived({ channel, messageId }: WaitingMessage): Promise<void> {
    await this.rows('delete from read_store.alert_messages where channel = $1 and message_id = $2', [
      channel,
      messageId,
    ]);
  }

  async failed({ channel, messageId }: WaitingMessage, error: string, nextAt: Date): Promise<void> {
    await this.rows(
      `update read_store.alert_messages set attempts = attempts + 1, error = $3, next_attempt_at = $4
        where channel = $1 and message_id = $2`,
      [channel, messageId, error, nextAt],
    );
  }

  private async rows<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    // Each statement names and types its columns for the code that reads them.
    return (await this.database.query(text, values)).rows as Row[];
  }
}
