import { setTimeout as sleep } from 'node:timers/promises';
import { environments } from '#domain/streams.js';
import { messageOf } from '#platform/errors.js';
import type { Logger } from '#platform/logger.js';
import type { Queries } from './data-source.js';
import { checkpointWas, LogMismatch, misfitOf, requireOwnLog, requireProof, type OwnLog } from './log-fit.js';
import { serves } from './projection-checkpoints.js';

interface AnchorRow {
  readonly consumer: string;
  readonly position: string;
  readonly id: string;
  /** Why its consumer stands still, if the consumer's checkpoint did not fit the log. */
  readonly halted: string | null;
}

// A lost event may later be written again at the same place. Its consumer still stays halted until it is
// started again.
const columns = `event_position::text as position, event_id as id,
  case when halted_because like '%${checkpointWas}%' then halted_because end as halted`;
const anchored = 'position is not null and event_id is not null';
const ofProcesses = environments.map(
  (environment) => `union all select '${environment} ' || process, ${columns}
    from ${environment}.process_checkpoints where ${anchored}`,
);
const anchors = `
  select environment || ' ' || name as consumer, ${columns}
    from read_store.projections where ${serves} and ${anchored}
  ${ofProcesses.join('\n  ')}
  order by consumer`;

/**
 * Whether the checkpoints of the whole installation fit the log, as far as this process knows:
 *
 * - `unknown`: no check yet, or the first check got no answer. Dispatches are refused.
 * - `fits`: the last check that got an answer found each checkpoint's event in the log.
 * - `misfit`: a checkpoint is from another log, or from a state that this log has lost. It stays so, even if
 *   the log grows, until a person has mended it.
 */
export class LogWatch {
  private state: 'unknown' | 'fits' | { readonly misfit: string } = 'unknown';

  constructor(
    private readonly database: Queries,
    private readonly log: OwnLog,
  ) {}

  /** In one line what does not fit, and what to do. */
  get misfit(): string | undefined {
    return typeof this.state === 'string' ? undefined : this.state.misfit;
  }

  get fits(): boolean {
    return this.state === 'fits';
  }

  /**
   * The first check. It does not wait for stores that are away: {@link follow} goes on checking.
   * @throws LogMismatch when the log is not the installation's; this process must then not go on
   */
  async begin(): Promise<void> {
    try {
      await requireOwnLog(this.database, this.log);
      await requireProof(this.log);
      await this.look();
    } catch (error) {
      if (error instanceof LogMismatch) throw error;
    }
  }

  /** Checks at intervals until the signal aborts. Logs each change of the state. */
  async follow(everyMs: number, logger: Logger, signal: AbortSignal): Promise<void> {
    for (;;) {
      const before = this.misfit;
      await this.lookAgain(logger);
      if (this.misfit !== before && this.misfit !== undefined) logger.fatal({}, this.misfit);
      else if (this.misfit !== before) logger.warn({}, 'the checkpoints fit the log again');
      if (!(await sleep(everyMs, true, { signal, ref: false }).catch(() => false))) return;
    }
  }

  private async lookAgain(logger: Logger): Promise<void> {
    try {
      await requireOwnLog(this.database, this.log);
      await this.look();
    } catch (error) {
      if (error instanceof LogMismatch) this.state = { misfit: error.message };
      // Other parts of the process report stores that are away. The known state stays.
      else logger.debug({ because: messageOf(error) }, 'whether the checkpoints fit the log is unknown');
    }
  }

  /** @throws what store and database throw */
  private async look(): Promise<void> {
    // The columns are named by the statement.
    const rows = (await this.database.query(anchors)).rows as AnchorRow[];
    const misfits: string[] = [];
    for (const group of Map.groupBy(rows, ({ position, id }) => `${position} ${id}`).values()) {
      // A group has at least one.
      const { position, id } = group[0]!;
      const misfit = await misfitOf(this.log.store, { position: BigInt(position), id });
      if (misfit !== undefined)
        misfits.push(`${group.map(({ consumer }) => consumer).join(', ')}: ${misfit}`);
      else
        for (const { consumer, halted } of group)
          if (halted !== null) misfits.push(`${consumer} is halted: ${halted}`);
    }
    this.state =
      misfits.length === 0 ? 'fits' : { misfit: `checkpoints do not fit the log. ${misfits.join('; ')}` };
  }
}
