import { refundCharge, settleCharge } from '#domain/account/close-charge.js';
import type { RefundReason } from '#domain/account/account.events.js';
import { categoryPrefix, type Environment } from '#domain/streams.js';
import type { EventFilter, EventStore } from '#event-store/event-store.js';
import type { Clock } from '#platform/clock.js';
import type { AccountWriter } from '../account/account-writer.js';
import type { CommandContext } from '../command-context.js';
import { endedJobOf, type DeliveredEvent } from './delivered-event.js';
import { inReaction } from './in-reaction.js';

/** What was paid for a job, and by whom. */
export interface JobCharge {
  readonly chargeId: string;
  readonly tenant: string;
}

export type CloseCharge = JobCharge &
  ({ readonly kind: 'settle' } | { readonly kind: 'refund'; readonly reason: RefundReason });

export const chargeCloser = 'charge-closer';

export function chargeCloserFilter(environment: Environment): EventFilter {
  const types = ['JobSucceeded', 'JobFailed', 'JobCancelled', 'JobVoided'];
  return { types, streamPrefixes: [categoryPrefix(environment, 'job')] };
}

/** What the end of a job means for its charge. Undefined: this event does not end a job. */
export function reactOfCloser(event: DeliveredEvent, charge: JobCharge): CloseCharge | undefined {
  switch (event.type) {
    case 'JobSucceeded':
      return { kind: 'settle', ...charge };
    case 'JobFailed':
      return { kind: 'refund', reason: 'job-failed', ...charge };
    case 'JobCancelled':
      return { kind: 'refund', reason: 'job-cancelled', ...charge };
    case 'JobVoided':
      return { kind: 'refund', reason: 'orphaned', ...charge };
    default:
      return undefined;
  }
}

/**
 * Closes the charge of every job that has ended: settled when it succeeded, given back otherwise. Its effects come
 * before its checkpoint, so a crash handles a batch again: closing a charge that is closed does nothing.
 */
export class ChargeCloser {
  constructor(
    private readonly environment: Environment,
    private readonly store: EventStore,
    private readonly accounts: AccountWriter,
    private readonly clock: Clock,
  ) {}

  /**
   * Handles a batch as a whole: the accounts' writer commits what belongs to one account together.
   * @throws what the store throws; the batch may then be handled again
   */
  async handle(events: readonly DeliveredEvent[]): Promise<void> {
    await Promise.all(events.map((event) => this.close(event)));
  }

  private async close(event: DeliveredEvent): Promise<void> {
    const charge = await this.chargeOf(event);
    const command = charge && reactOfCloser(event, charge);
    if (!command) return;
    const { environment } = this;
    const { requestId } = event.metadata;
    const caused = { environment, requestId, actor: `saga:${chargeCloser}`, at: this.clock() };
    await inReaction(chargeCloser, environment, event, () => closeCharge(this.accounts, command, caused));
  }

  /** Undefined: there is none, as for the parent of a batch, or the event ends no job. */
  private async chargeOf(event: DeliveredEvent): Promise<JobCharge | undefined> {
    switch (event.type) {
      case 'JobVoided':
        return event.data;
      case 'JobSucceeded':
      case 'JobFailed':
      case 'JobCancelled': {
        const ended = await endedJobOf(this.store, this.environment, event);
        const { tenant, chargeId } = ended;
        return chargeId === null ? undefined : { tenant, chargeId };
      }
      default:
        return undefined;
    }
  }
}

/**
 * One command id for each charge and end: closing it again repeats the very same command.
 * @returns a position in the log by which the charge is closed
 */
export async function closeCharge(
  accounts: AccountWriter,
  command: CloseCharge,
  caused: Omit<CommandContext, 'commandId' | 'tenant'>,
): Promise<bigint | undefined> {
  const { chargeId, tenant } = command;
  const context = { ...caused, tenant, commandId: `${command.kind}:${chargeId}` };
  const at = caused.at.toISOString();
  const verdict = await accounts.execute(context, (account) =>
    command.kind === 'settle'
      ? settleCharge({ chargeId, at }, account)
      : refundCharge({ chargeId, reason: command.reason, at }, account),
  );
  return verdict.kind === 'accepted' ? verdict.position : undefined;
}
