import { Inject, Injectable } from '@nestjs/common';
import type { HousekeepingTask } from '#application/process-managers/process-manager.js';
import { streamName, type Environment } from '#domain/streams.js';
import { WordErasure } from '#event-store/word-erasure.js';
import { Clock } from '#platform/clock.js';
import { Database } from '#read-store/database.js';
import { agentDays } from './agent-days.read-model.js';

const dayMs = 24 * 60 * 60_000;

/** An offer can be carried out until a day after its consent. */
const keptDays = 3;

/** A restored backup brings keys back. Days before that were handled by a process that has ended since. */
const lookBackDays = 60;

/** How many streams one round takes. */
const mostTogether = 500;

/**
 * Erases the words of quotes that can no longer be ordered: bodies, and the names of sessions. The order has its body with
 * its job. A process begins with the oldest day after its start, and remembers what it has done.
 */
@Injectable()
export class PastQuotes implements HousekeepingTask {
  private readonly done = new Map<Environment, string>();

  constructor(
    private readonly database: Database,
    private readonly words: WordErasure,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  async tend(environment: Environment): Promise<void> {
    const dayBefore = (days: number) =>
      new Date(this.clock().getTime() - days * dayMs).toISOString().slice(0, 10);
    const done = this.done.get(environment) ?? '';
    const { rows } = await this.database.query(
      `select stream_id, day || stream_id as place from ${environment}.${agentDays}
        where day >= $1 and day < $2 and day || stream_id > $3 order by 2 limit ${mostTogether}`,
      [dayBefore(lookBackDays), dayBefore(keptDays - 1), done],
    );
    const days = rows as { stream_id: string; place: string }[];
    const last = days.at(-1);
    if (!last) return;
    await this.words.eraseWords(days.map(({ stream_id: id }) => streamName(environment, 'spend', id)));
    this.done.set(environment, last.place);
  }
}
