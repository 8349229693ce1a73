import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { actionStream, RecordAction } from '#application/action/record-action.handler.js';
import { installation, type CommandContext } from '#application/command-context.js';
import type { LogWatcher } from '#application/process-managers/process-manager.js';
import type { ActionEvent } from '#domain/action/action.events.js';
import { EventStore } from '#event-store/event-store.js';
import { Clock } from '#platform/clock.js';
import { Configuration } from '#platform/configuration.js';
import { newId } from '#platform/ids.js';
import { Logger } from '#platform/logger.js';
import { pause } from '#platform/retry.js';
import { actionsIn } from '../actions/list-actions.js';
import { auditAction } from '../ledger/last-audit.js';
import { auditInProcess, type AuditEnd } from './audit-process.js';
import { attemptId, lastDue, mostAttempts, nextStep, type Attempt } from './night.js';

const lookEveryMs = 20_000;

/** The name of who audits, in the log of actions. */
const by = 'nightly audit';

/**
 * Audits the whole installation once a day. The log of actions says that an audit was begun and how it ended, as it does
 * for audits of operators.
 */
@Injectable()
export class NightlyAudit implements LogWatcher {
  private readonly startedAt: Date;

  constructor(
    private readonly store: EventStore,
    private readonly commands: CommandBus,
    @Inject(Configuration) private readonly configuration: Configuration,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Logger) private readonly logger: Logger,
  ) {
    this.startedAt = clock();
  }

  watch(): ((signal: AbortSignal) => Promise<void>) | undefined {
    const { minute } = this.configuration.nightlyAudit;
    if (minute === undefined) return undefined;
    return async (signal) => {
      do await this.tend(lastDue(minute, this.clock()), signal);
      while (await pause(lookEveryMs, signal));
    };
  }

  private async tend(due: Date, signal: AbortSignal): Promise<void> {
    const { clock, startedAt } = this;
    const step = nextStep(await this.attempts(due), { due, now: clock(), startedAt });
    if (step.kind === 'rest' || signal.aborted) return;
    const id = attemptId(due, step.attempt);
    if (step.kind === 'close')
      return this.end(id, {
        outcome: 'failed',
        summary: 'the projector was killed meanwhile, or could not record the end',
      });
    const at = clock().toISOString();
    const asked = { action: auditAction, by, input: {}, at };
    const earlier = await this.record(id, { type: 'ActionRequested', data: asked });
    // Another projector was faster.
    if (earlier) return;
    this.logger.info({ attempt: step.attempt }, 'the nightly audit begins');
    await this.end(id, await auditInProcess(this.configuration.nightlyAudit.memoryMb, signal));
  }

  private async attempts(due: Date): Promise<Attempt[]> {
    const attempts: Attempt[] = [];
    for (let number = 1; number <= mostAttempts; number++) {
      const slice = await this.store.readStream(actionStream(attemptId(due, number)), { from: 0n, limit: 2 });
      const [action] = slice.kind === 'found' ? actionsIn(slice.events) : [];
      if (!action) break;
      const { outcome, ended_at: at } = action;
      attempts.push({
        ended: at === null || outcome === 'unknown' ? null : { at: new Date(at), outcome },
      });
    }
    return attempts;
  }

  private async end(id: string, { outcome, summary }: AuditEnd): Promise<void> {
    await this.record(id, {
      type: 'ActionEnded',
      data: { outcome, summary, at: this.clock().toISOString() },
    });
    if (outcome === 'done') this.logger.info(`the nightly audit has ended: ${summary}`);
    else this.logger.error(`the nightly audit did not come to its end: ${summary}`);
  }

  private record(id: string, event: ActionEvent) {
    const commandId = newId();
    const context: CommandContext = {
      environment: 'live',
      tenant: installation,
      commandId,
      requestId: commandId,
      actor: 'projector:nightly-audit',
      at: this.clock(),
    };
    return this.commands.execute(new RecordAction(context, id, event));
  }
}
