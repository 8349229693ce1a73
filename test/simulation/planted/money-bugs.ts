import {
  AccountWriter,
  type AccountWriterOptions,
  type AccountVerdict,
} from '#application/account/account-writer.js';
import type { CommandContext } from '#application/command-context.js';
import { Dispatcher, type DispatchOutcome } from '#application/dispatch/dispatcher.js';
import type { DispatchRequest } from '#application/dispatch/dispatched-jobs.js';
import type { DispatchIds } from '#application/dispatch/idempotency.js';
import { CancelJobHandler, type CancelJob, type CancelledJob } from '#application/job/cancel-job.handler.js';
import { AccountCommandHandler } from '#application/account/account-command.handler.js';
import { CloseCharge } from '#application/account/charges.handler.js';
import type { Account } from '#domain/account/account.js';
import type { AccountEvent } from '#domain/account/account.events.js';
import { debitCredits } from '#domain/account/debit-credits.js';
import { accept, type Decision } from '#domain/decision.js';
import type { QueuedJob } from '#domain/job/job.js';
import { streamName } from '#domain/streams.js';
import type { EventStore, RecordedEvent, StreamWrite } from '#event-store/event-store.js';
import type { SnapshotStore } from '#event-store/snapshots.js';
import { newId } from '#platform/ids.js';
import type { Wiring } from '../wiring.js';
import { commandBusOn } from '../../support/command-bus.js';
import type { OperationTerms, Prices } from '#application/operation/operations.js';

type Decide<Rejection> = (account: Account) => Decision<AccountEvent, Rejection>;

async function eventsOf(store: EventStore, stream: string): Promise<readonly RecordedEvent[]> {
  const slice = await store.readStream(stream);
  return slice.kind === 'found' ? slice.events : [];
}

/** Refunds every debit, open or not, and each time as a new command. */
class CarelessRefunds extends AccountWriter {
  constructor(
    private readonly log: EventStore,
    snapshots: SnapshotStore,
    settings: AccountWriterOptions,
  ) {
    super(log, snapshots, settings);
  }

  override async execute<Rejection>(
    context: CommandContext,
    decide: Decide<Rejection>,
    beside: readonly StreamWrite[] = [],
  ) {
    const [kind, chargeId] = context.commandId.split(':');
    if (kind !== 'refund') return super.execute(context, decide, beside);
    const stream = streamName(context.environment, 'account', context.tenant);
    const debit = (await eventsOf(this.log, stream))
      .map(({ type, data }) => ({ type, data }) as AccountEvent)
      .find((event) => event.type === 'CreditsDebited' && event.data.chargeId === chargeId);
    if (debit?.type !== 'CreditsDebited') return super.execute(context, decide);
    const { jobId, amount } = debit.data;
    const at = context.at.toISOString();
    return super.execute<Rejection>({ ...context, commandId: `${context.commandId}:${newId()}` }, () =>
      accept({
        type: 'CreditsRefunded',
        data: { chargeId: debit.data.chargeId, jobId, amount, reason: 'job-failed', at },
      }),
    );
  }
}

export const refundWithoutOpenCheck: Partial<Wiring> = {
  accounts: (store, snapshots, options) => new CarelessRefunds(store, snapshots, options),
};

/** Refunds today's price instead of the charged one. */
class RoundedRefunds extends AccountWriter {
  override execute<Rejection>(
    context: CommandContext,
    decide: Decide<Rejection>,
    beside: readonly StreamWrite[] = [],
  ) {
    const rounded: Decide<Rejection> = (account) => {
      const decision = decide(account);
      if (decision.kind === 'rejected') return decision;
      return accept(
        ...decision.events.map((event): AccountEvent =>
          event.type === 'CreditsRefunded' ? { ...event, data: { ...event.data, amount: 5 } } : event,
        ),
      );
    };
    return super.execute<Rejection>(context, rounded, beside);
  }
}

export const refundOfTodaysPrice: Partial<Wiring> = {
  accounts: (store, snapshots, options) => new RoundedRefunds(store, snapshots, options),
};

/** Reports a debit as made, and makes it later. */
class LazyDebits extends AccountWriter {
  override async execute<Rejection>(
    context: CommandContext,
    decide: Decide<Rejection>,
    beside: readonly StreamWrite[] = [],
  ): Promise<AccountVerdict<Rejection>> {
    const done = super.execute(context, decide, beside);
    if (!context.commandId.startsWith('debit:')) return done;
    done.catch(() => undefined);
    return { kind: 'accepted', changed: true, position: undefined };
  }
}

export const queueBeforeDebit: Partial<Wiring> = {
  accounts: (store, snapshots, options) => new LazyDebits(store, snapshots, options),
};

/** The parent of a batch is charged beside its photographs. */
class ChargedParents extends Dispatcher {
  constructor(
    private readonly writer: AccountWriter,
    ...rest: ConstructorParameters<typeof Dispatcher>
  ) {
    super(...rest);
  }

  override async dispatch(request: DispatchRequest, ids: DispatchIds): Promise<DispatchOutcome> {
    const outcome = await super.dispatch(request, ids);
    const { environment, tenant } = request.caller;
    const { requestId, jobId } = ids;
    if (outcome.kind !== 'accepted' || request.workflow !== 'pdp-batch-extractions') return outcome;
    const { at, workflow: operation, endpoint } = request;
    const charge = {
      chargeId: requestId,
      requestId,
      jobId,
      operation,
      endpoint,
      amount: 4,
      at: at.toISOString(),
    };
    const context = { environment, tenant, commandId: `debit:${jobId}`, requestId, actor: 'key:0', at };
    await this.writer.execute(context, (account) => debitCredits([charge], account));
    return outcome;
  }
}

export const parentChargedToo: Partial<Wiring> = {
  dispatcher: (store, accounts, references, prices) =>
    new ChargedParents(
      accounts,
      ...([commandBusOn({ store, accounts }), store, accounts, references, prices] as const),
    ),
};

/** Every process goes by the first price that it has read. */
export const oldPrice: Partial<Wiring> = {
  dispatcher: (store, accounts, references, prices) => {
    const known = new Map<string, ReturnType<Prices['termsOf']>>();
    const termsOf: Prices['termsOf'] = (environment, workflow) => {
      const terms = known.get(workflow) ?? prices.termsOf(environment, workflow);
      known.set(workflow, terms);
      return terms;
    };
    const rememberedTermsOf: Prices['rememberedTermsOf'] = async (environment, workflow) => ({
      ...(await prices.rememberedTermsOf(environment, workflow)),
      ...(await termsOf(environment, workflow)),
    });
    return new Dispatcher(commandBusOn({ store, accounts }), store, accounts, references, {
      termsOf,
      rememberedTermsOf,
    });
  },
};

/** A process remembers a price as a number: it ignores the time until the operator changes the price again. */
export const scheduleForgotten: Partial<Wiring> = {
  dispatcher: (store, accounts, references, prices) => {
    const known = new Map<string, number>();
    const rememberedTermsOf: Prices['rememberedTermsOf'] = async (environment, workflow) => {
      const terms = await prices.rememberedTermsOf(environment, workflow);
      const read = `${workflow} ${terms.guard.expectedRevision}`;
      if (!known.has(read)) known.set(read, terms.credits);
      return { ...terms, credits: known.get(read) ?? terms.credits };
    };
    const termsOf: Prices['termsOf'] = (...asked) => prices.termsOf(...asked);
    return new Dispatcher(commandBusOn({ store, accounts }), store, accounts, references, {
      termsOf,
      rememberedTermsOf,
    });
  },
};

/** A scheduled price takes effect as soon as it is known. */
export const scheduleTooEarly: Partial<Wiring> = {
  dispatcher: (store, accounts, references, prices) => {
    const last = <Terms extends OperationTerms>(terms: Terms): Terms => ({
      ...terms,
      credits: terms.scheduled.at(-1)?.credits ?? terms.credits,
    });
    return new Dispatcher(commandBusOn({ store, accounts }), store, accounts, references, {
      termsOf: async (...asked) => last(await prices.termsOf(...asked)),
      rememberedTermsOf: async (...asked) => last(await prices.rememberedTermsOf(...asked)),
    });
  },
};

/** A key whose try is not on the log counts as free, and the slow try is not fenced off. */
class UnfencedResume extends Dispatcher {
  constructor(
    private readonly log: EventStore,
    ...rest: ConstructorParameters<typeof Dispatcher>
  ) {
    super(...rest);
  }

  override async resume(request: DispatchRequest, ids: DispatchIds): Promise<DispatchOutcome | 'spent'> {
    const found = await eventsOf(this.log, streamName(request.caller.environment, 'job', ids.jobId));
    return found.length === 0 ? 'spent' : super.resume(request, ids);
  }
}

export const resumeWithoutFence: Partial<Wiring> = {
  dispatcher: (store, accounts, references, prices) =>
    new UnfencedResume(
      store,
      ...([commandBusOn({ store, accounts }), store, accounts, references, prices] as const),
    ),
};

/** The sweep believes the read models and refunds at once. */
export const sweepWithoutFence: Partial<Wiring> = {
  sweep: async ({ environment, commands, openCharges, clock, orphanHorizonMs }) => {
    const at = clock();
    const before = new Date(at.getTime() - orphanHorizonMs);
    const candidates = await openCharges.openChargesOlderThan(before, 500);
    for (const { tenant, chargeId } of candidates) {
      const refund = { kind: 'refund', reason: 'orphaned', chargeId, tenant } as const;
      const caused = { environment, requestId: chargeId, actor: 'saga:orphan-sweep', at };
      await commands.execute(new CloseCharge(refund, caused));
    }
  },
};

/** Refunds a job's charge in the name of the caller that cancels the job. */
async function refundJob(store: EventStore, accounts: AccountWriter, command: CancelJob): Promise<void> {
  const { caller, jobId, requestId, at } = command;
  const { environment, tenant } = caller;
  const [queued] = await eventsOf(store, streamName(environment, 'job', jobId));
  const { chargeId } = (queued?.data ?? { chargeId: null }) as Pick<QueuedJob, 'chargeId'>;
  if (chargeId === null) return;
  const refund = { kind: 'refund', reason: 'job-cancelled', chargeId, tenant } as const;
  const caused = { environment, requestId, actor: 'key:0', at };
  await new AccountCommandHandler(accounts).execute(new CloseCharge(refund, caused));
}

/** A cancel gives the credits back and forgets JobCancelled. */
export const cancelWithoutEvent: Partial<Wiring> = {
  cancel: (store, accounts, streams) =>
    new (class extends CancelJobHandler {
      override async execute(command: CancelJob): Promise<CancelledJob> {
        const [queued] = await eventsOf(store, streamName(command.caller.environment, 'job', command.jobId));
        const own = (queued?.data as Pick<QueuedJob, 'tenant'> | undefined)?.tenant === command.caller.tenant;
        if (own) await refundJob(store, accounts, command);
        return { kind: 'refused', code: own ? 'JOB_FINISHED' : 'JOB_NOT_FOUND' };
      }
    })(commandBusOn({ store, accounts }), streams),
};

/** A cancel that comes too late refunds the credits all the same. */
export const refundOfALostCancel: Partial<Wiring> = {
  cancel: (store, accounts, streams) =>
    new (class extends CancelJobHandler {
      override async execute(command: CancelJob): Promise<CancelledJob> {
        const answer = await super.execute(command);
        if (answer.kind === 'refused' && answer.code === 'JOB_FINISHED')
          await refundJob(store, accounts, command);
        return answer;
      }
    })(commandBusOn({ store, accounts }), streams),
};

/** A cancel reads the job's owner and takes it for the caller. */
export const foreignCancel: Partial<Wiring> = {
  cancel: (store, accounts, streams) =>
    new (class extends CancelJobHandler {
      override async execute(command: CancelJob): Promise<CancelledJob> {
        const [queued] = await eventsOf(store, streamName(command.caller.environment, 'job', command.jobId));
        const { tenant } = (queued?.data ?? command.caller) as Pick<QueuedJob, 'tenant'>;
        return super.execute({ ...command, caller: { ...command.caller, tenant } });
      }
    })(commandBusOn({ store, accounts }), streams),
};
