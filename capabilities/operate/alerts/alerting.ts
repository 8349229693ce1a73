import type { Operator } from '#operator-calls/operator.js';
import type { Clock } from '#platform/clock.js';
import { messageOf as errorText } from '#platform/errors.js';
import { newId } from '#platform/ids.js';
import type { Logger } from '#platform/logger.js';
import { inTime, pause } from '#platform/retry.js';
import { pauseAfter } from '#platform/retry-schedule.js';
import type { Queries } from '#read-store/data-source.js';
import { runTasks, type Task } from '#read-store/exclusive-session.js';
import { readFacts } from '../now/facts.js';
import type { AlertSettings } from '../operate.settings.js';
import { alertsOf, changesOf, type Change, type SeenReason } from './alert.js';
import { AlertBook } from './alert-book.js';
import { messageOf, type Told } from './alert-message.js';
import { callChannel, channelsOf, complaintOf, type Channel } from './channel.js';

const lookEveryMs = 15_000;
/** A look that takes longer has failed. A process that stops has a little more time. */
const lookWithinMs = 15_000;
/** One round sends no longer than this, so that a slow receiver does not keep the next look waiting. */
const sendWithinMs = 30_000;
/** An older message tells nothing that Now does not show. */
const messageKeptMs = 3 * 24 * 60 * 60_000;
/** After so many attempts, the pauses stay at half an hour. */
const lastPauseAfter = 4;

interface AlertingParts {
  /** The reasons of Now. */
  readonly look: () => Promise<readonly SeenReason[]>;
  readonly settings: AlertSettings;
  /** The public address of the API, by which a receiver tells installations apart. */
  readonly installation: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Tells operators by webhook what Now shows. */
export class Alerting {
  private readonly channels: readonly Channel[];

  constructor(private readonly parts: AlertingParts) {
    this.channels = channelsOf(parts.settings);
  }

  /** Looks once, tells what has to be told, and sends what waits. @param database see {@link AlertBook} */
  async round(database: Queries, signal: AbortSignal): Promise<void> {
    const book = new AlertBook(database);
    const { reasons, isWhole } = await this.look();
    const now = this.parts.clock();
    const { afterMs } = this.parts.settings;
    for (const change of changesOf(await book.known(), alertsOf(reasons), { now, isWhole, afterMs }))
      await this.note(book, change, now);
    await book.forgetMessages(this.channels, new Date(now.getTime() - messageKeptMs));
    await Promise.all(this.channels.map((channel) => this.send(book, channel, signal)));
  }

  /** That Now cannot be read is a reason as well. It says nothing of the others. */
  private async look(): Promise<{ reasons: readonly SeenReason[]; isWhole: boolean }> {
    try {
      const late = () => new Error(`it took longer than ${lookWithinMs / 1_000} s`);
      return { reasons: await inTime(this.parts.look, lookWithinMs, late), isWhole: true };
    } catch (err) {
      this.parts.logger.warn({ err }, 'the reasons of Now could not be read for the alerts');
      const detail = `what "atelier now" shows could not be read: ${errorText(err)}`;
      return { reasons: [{ what: 'unreadable', env: null, detail }], isWhole: false };
    }
  }

  private async note(book: AlertBook, change: Change, now: Date): Promise<void> {
    switch (change.kind) {
      case 'stands':
        return book.stands(change.alert, now);
      case 'forgotten':
        return book.forget(change.alert);
      case 'gone':
        return book.markGone(change.alert, now);
      case 'back':
        return book.markGone(change.alert, null);
      case 'told': {
        const { alert, isReminder } = change;
        return book.tell(alert, this.message({ type: 'alert.firing', alert, isReminder }, now));
      }
      case 'over':
        return book.tellEnd(change.alert, this.message({ type: 'alert.resolved', alert: change.alert }, now));
      default:
        return change satisfies never;
    }
  }

  private message(told: Told, at: Date) {
    const { installation, logger } = this.parts;
    const content = messageOf(told, installation, at);
    logger.info({ alert: content.data.alert, type: content.type }, content.text);
    return { messageId: newId(), body: JSON.stringify(content), channels: this.channels, at };
  }

  /** After a message that the channel did not take, its other messages wait for the next round. */
  private async send(book: AlertBook, channel: Channel, signal: AbortSignal): Promise<void> {
    const { clock, logger, settings } = this.parts;
    const endAt = performance.now() + sendWithinMs;
    for (const message of await book.due(channel, clock())) {
      if (signal.aborted || performance.now() > endAt) return;
      // The settings have no URL without a secret.
      const asked = { secret: settings.secret!, at: clock(), signal };
      const outcome = await callChannel(channel, message, asked);
      const complaint = complaintOf(outcome);
      if (complaint === undefined) {
        await book.arrived(message);
        continue;
      }
      // The receiver did not refuse it: this process stops, or has lost its lock.
      if (signal.aborted) return;
      const retryAfter = outcome.kind === 'answered' ? outcome.retryAfter : undefined;
      const attempt = Math.min(message.attempts + 1, lastPauseAfter);
      const pauseMs = pauseAfter(attempt, retryAfter, Math.random()) ?? 0;
      await book.failed(message, complaint, new Date(clock().getTime() + pauseMs));
      const { host } = channel;
      logger.warn({ host, alert: message.alert, pauseMs }, `an alert was not delivered: ${complaint}`);
      return;
    }
  }
}

interface AlertingProcess extends Pick<AlertingParts, 'clock' | 'logger'> {
  readonly operator: Pick<Operator, 'configuration' | 'store' | 'database' | 'recorded'>;
  readonly signal: AbortSignal;
}

/** Alerts until the signal aborts. Of several processes, the one that holds the lock does. */
export async function runAlerting({ operator, clock, logger, signal }: AlertingProcess): Promise<void> {
  const { alerts: settings, databaseUrl: url, publicUrl: installation } = operator.configuration;
  if (settings.secretUrls.length === 0) return;
  const look = async () => (await readFacts(operator)).reasons;
  const alerting = new Alerting({ look, settings, installation, clock, logger });
  const run: Task['run'] = async (commits, lasting) => {
    const database: Queries = {
      query: (text, values) => commits.alone((client) => client.query(text, values)),
    };
    // Sessions of projectors do without: their work is repeated from the log. What was told is nowhere else.
    await database.query('set synchronous_commit to on');
    do await alerting.round(database, lasting);
    while (await pause(lookEveryMs, lasting));
  };
  await runTasks({ url, tasks: [{ lock: 'atelier.alerts', run }], signal, log: logger });
}
