import { LRUCache } from 'lru-cache';
import { refundCharge, settleCharge } from '#domain/account/close-charge.js';
import type { RefundReason } from '#domain/account/account.events.js';
import type { QueuedJob } from '#domain/job/job.js';
import { decode } from '#domain/stored-events.js';
import { categoryPrefix, streamName, type Environment } from '#domain/streams.js';
import type { EventFilter, EventStore } from '#event-store/event-store.js';
import type { Clock } from '#platform/clock.js';
import type { AccountWriter } from '../account/account-writer.js';
import type { CommandContext } from '../command-context.js';
import type { DeliveredEvent } from './delivered-event.js';
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
  const types = ['JobQueued', 'JobSucceeded', 'JobFailed', 'JobCancelled', 'JobVoided'];
  return { types, streamPrefixes: [categoryPrefix(environment, 'job')] };
}

/** What the end of a job means for its charge. Undefined: this event does not end a job. */
export function react(event: DeliveredEvent, charge: JobCharge): CloseCharge | undefined {
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
  /** Most jobs end soon after they were queued, in the same subscription. */
  readonly #charges: LRUCache<string, JobCharge | 'uncharged'>;

  constructor(
    private readonly environment: Environment,
    private readonly store: EventStore,
    private readonly accounts: AccountWriter,
    private readonly clock: Clock,
    { rememberedJobs = 50_000 }: { readonly rememberedJobs?: number } = {},
  ) {
    this.#charges = new LRUCache({ max: rememberedJobs });
  }

  /**
   * Handles a batch as a whole: the accounts' writer commits what belongs to one account together.
   * @throws what the store throws; the batch may then be handled again
   */
  async handle(events: readonly DeliveredEvent[]): Promise<void> {
    for (const event of events) {
      if (event.type === 'JobQueued') this.#remember(event.streamId, chargeOf(event.data));
    }
    await Promise.all(events.map((event) => this.#close(event)));
  }

  async #close(event: DeliveredEvent): Promise<void> {
    if (event.type === 'JobQueued') return;
    const charge = event.type === 'JobVoided' ? event.data : await this.#chargeOf(event.streamId);
    const command = charge === 'uncharged' ? undefined : react(event, charge);
    if (!command) return;
    const { environment } = this;
    const { requestId } = event.metadata;
    const caused = { environment, requestId, actor: `saga:${chargeCloser}`, at: this.clock() };
    await inReaction(chargeCloser, environment, event, () => closeCharge(this.accounts, command, caused));
  }

  async #chargeOf(jobId: string): Promise<JobCharge | 'uncharged'> {
    const known = this.#charges.get(jobId);
    if (known) return known;
    const stream = streamName(this.environment, 'job', jobId);
    const slice = await this.store.readStream(stream, { limit: 1 });
    const first = slice.kind === 'found' && slice.events[0] ? decode(slice.events[0]) : undefined;
    if (first?.type !== 'JobQueued') throw new Error(`${stream} does not begin with JobQueued`);
    return this.#remember(jobId, chargeOf(first.data));
  }

  #remember(jobId: string, charge: JobCharge | 'uncharged'): JobCharge | 'uncharged' {
    this.#charges.set(jobId, charge);
    return charge;
  }
}

/** The parent of a batch has no charge of its own. */
function chargeOf({ chargeId, tenant }: QueuedJob): JobCharge | 'uncharged' {
  return chargeId === null ? 'uncharged' : { chargeId, tenant };
}

/**
 * One command id for each charge and end: whoever closes it again repeats the very same command.
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
