import type { AccountWriter } from '#application/account/account-writer.js';
import type { Dispatcher } from '#application/dispatch/dispatcher.js';
import type { CancelJob, CancelJobHandler } from '#application/job/cancel-job.handler.js';
import { AccountCommandHandler } from '#application/account/account-command.handler.js';
import { CloseCharge } from '#application/account/charges.handler.js';
import type { AccountEvent } from '#domain/account/account.events.js';
import { debitCredits } from '#domain/account/debit-credits.js';
import { accept } from '#domain/decision.js';
import type { QueuedJob } from '#domain/job/job.js';
import { streamName } from '#domain/streams.js';
import type { EventStore, RecordedEvent } from '#event-store/event-store.js';
import { newId } from '#platform/ids.js';
import { sound, type Wiring } from '../wiring.js';
import type { OperationTerms, Prices } from '#application/operation/operations.js';

async function eventsOf(store: EventStore, stream: string): Promise<readonly RecordedEvent[]> {
  const slice = await store.readStream(stream);
  return slice.kind === 'found' ? slice.events : [];
}

type Execute = AccountWriter['execute'];

/** Accounts whose commands are carried out differently. */
function withExecute(around: (execute: Execute, store: EventStore) => Execute): Partial<Wiring> {
  return {
    accounts: (store, ...rest) => {
      const accounts = sound.accounts(store, ...rest);
      return Object.assign(accounts, { execute: around(accounts.execute.bind(accounts), store) });
    },
  };
}

/** A dispatcher that differs in some of its methods. */
function withMethods(
  change: (
    dispatcher: Dispatcher,
    parts: { readonly store: EventStore; readonly accounts: AccountWriter },
  ) => Partial<Dispatcher>,
): Partial<Wiring> {
  return {
    dispatcher: (store, accounts, ...rest) =>
      // The object behind it keeps the service's own methods.
      Object.assign(
        sound.dispatcher(store, accounts, ...rest),
        change(sound.dispatcher(store, accounts, ...rest), { store, accounts }),
      ),
  };
}

/** A dispatcher that goes by other prices. */
function withPrices(change: (prices: Prices) => Prices): Partial<Wiring> {
  return {
    dispatcher: (store, accounts, references, prices) =>
      sound.dispatcher(store, accounts, references, change(prices)),
  };
}

interface Cancelling {
  readonly store: EventStore;
  readonly accounts: AccountWriter;
  readonly usual: CancelJobHandler['execute'];
}

/** Another handler of cancels. */
function withCancel(
  execute: (command: CancelJob, parts: Cancelling) => ReturnType<CancelJobHandler['execute']>,
): Partial<Wiring> {
  return {
    cancel: (store, accounts, streams) => {
      const handler = sound.cancel(store, accounts, streams);
      const usual = handler.execute.bind(handler);
      return { execute: (command) => execute(command, { store, accounts, usual }) };
    },
  };
}

/** The owner of the job that a cancel names. */
async function ownerOf(store: EventStore, { caller, jobId }: CancelJob): Promise<string | undefined> {
  const [queued] = await eventsOf(store, streamName(caller.environment, 'job', jobId));
  return (queued?.data as Pick<QueuedJob, 'tenant'> | undefined)?.tenant;
}

/** Refunds a job's charge in the name of the caller that cancels the job. */
async function refundJob(command: CancelJob, { store, accounts }: Cancelling): Promise<void> {
  const { caller, jobId, requestId, at } = command;
  const { environment, tenant } = caller;
  const [queued] = await eventsOf(store, streamName(environment, 'job', jobId));
  const { chargeId } = (queued?.data ?? { chargeId: null }) as Pick<QueuedJob, 'chargeId'>;
  if (chargeId === null) return;
  const refund = { kind: 'refund', reason: 'job-cancelled', chargeId, tenant } as const;
  const caused = { environment, requestId, actor: 'key:0', at };
  await new AccountCommandHandler(accounts).execute(new CloseCharge(refund, caused));
}

export const moneyBugs = {
  /** The sweep believes the read models and refunds at once. */
  'sweep-without-fence': {
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
  },

  /** Refunds every debit, open or not, and each time as a new command. */
  'refund-without-open-check': withExecute((execute, store) => async (context, decide, beside) => {
    const [kind, chargeId] = context.commandId.split(':');
    if (kind !== 'refund') return execute(context, decide, beside);
    const stream = streamName(context.environment, 'account', context.tenant);
    const debit = (await eventsOf(store, stream))
      .map(({ type, data }) => ({ type, data }) as AccountEvent)
      .find((event) => event.type === 'CreditsDebited' && event.data.chargeId === chargeId);
    if (debit?.type !== 'CreditsDebited') return execute(context, decide);
    const { jobId, amount } = debit.data;
    const at = context.at.toISOString();
    return execute({ ...context, commandId: `${context.commandId}:${newId()}` }, () =>
      accept({
        type: 'CreditsRefunded',
        data: { chargeId: debit.data.chargeId, jobId, amount, reason: 'job-failed', at },
      }),
    );
  }),

  /** Refunds today's price instead of the charged one. */
  'refund-of-todays-price': withExecute(
    (execute) => (context, decide, beside) =>
      execute(
        context,
        (account) => {
          const decision = decide(account);
          if (decision.kind === 'rejected') return decision;
          return accept(
            ...decision.events.map((event): AccountEvent =>
              event.type === 'CreditsRefunded' ? { ...event, data: { ...event.data, amount: 5 } } : event,
            ),
          );
        },
        beside,
      ),
  ),

  /** Every process goes by the first price that it has read. */
  'old-price': withPrices((prices) => {
    const known = new Map<string, ReturnType<Prices['termsOf']>>();
    const termsOf: Prices['termsOf'] = (environment, workflow) => {
      const terms = known.get(workflow) ?? prices.termsOf(environment, workflow);
      known.set(workflow, terms);
      return terms;
    };
    return {
      termsOf,
      rememberedTermsOf: async (environment, workflow) => ({
        ...(await prices.rememberedTermsOf(environment, workflow)),
        ...(await termsOf(environment, workflow)),
      }),
    };
  }),

  /** A process remembers a price as a number: it ignores the time until the operator changes the price again. */
  'schedule-forgotten': withPrices((prices) => {
    const known = new Map<string, number>();
    return {
      termsOf: (...asked) => prices.termsOf(...asked),
      rememberedTermsOf: async (environment, workflow) => {
        const terms = await prices.rememberedTermsOf(environment, workflow);
        const read = `${workflow} ${terms.guard.expectedRevision}`;
        if (!known.has(read)) known.set(read, terms.credits);
        return { ...terms, credits: known.get(read) ?? terms.credits };
      },
    };
  }),

  /** A scheduled price takes effect as soon as it is known. */
  'schedule-too-early': withPrices((prices) => {
    const last = <Terms extends OperationTerms>(terms: Terms): Terms => ({
      ...terms,
      credits: terms.scheduled.at(-1)?.credits ?? terms.credits,
    });
    return {
      termsOf: async (...asked) => last(await prices.termsOf(...asked)),
      rememberedTermsOf: async (...asked) => last(await prices.rememberedTermsOf(...asked)),
    };
  }),

  /** Reports a debit as made, and makes it later. */
  'queue-before-debit': withExecute((execute) => async (context, decide, beside) => {
    const done = execute(context, decide, beside);
    if (!context.commandId.startsWith('debit:')) return done;
    done.catch(() => undefined);
    return { kind: 'accepted', changed: true, position: undefined };
  }),

  /** The parent of a batch is charged beside its photographs. */
  'parent-charged-too': withMethods((dispatcher, { accounts }) => ({
    async dispatch(request, ids) {
      const outcome = await dispatcher.dispatch(request, ids);
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
      await accounts.execute(context, (account) => debitCredits([charge], account));
      return outcome;
    },
  })),

  /** A cancel gives the credits back and forgets JobCancelled. */
  'cancel-without-event': withCancel(async (command, parts) => {
    const own = (await ownerOf(parts.store, command)) === command.caller.tenant;
    if (own) await refundJob(command, parts);
    return { kind: 'refused', code: own ? 'JOB_FINISHED' : 'JOB_NOT_FOUND' };
  }),

  /** A cancel that comes too late refunds the credits all the same. */
  'refund-of-a-lost-cancel': withCancel(async (command, parts) => {
    const answer = await parts.usual(command);
    if (answer.kind === 'refused' && answer.code === 'JOB_FINISHED') await refundJob(command, parts);
    return answer;
  }),

  /** A cancel reads the job's owner and takes it for the caller. */
  'foreign-cancel': withCancel(async (command, { store, usual }) => {
    const tenant = (await ownerOf(store, command)) ?? command.caller.tenant;
    return usual({ ...command, caller: { ...command.caller, tenant } });
  }),

  /** A key whose try is not on the log counts as free, and the slow try is not fenced off. */
  'resume-without-fence': withMethods((dispatcher, { store }) => ({
    async resume(request, ids) {
      const found = await eventsOf(store, streamName(request.caller.environment, 'job', ids.jobId));
      return found.length === 0 ? 'spent' : dispatcher.resume(request, ids);
    },
  })),
} satisfies Record<string, Partial<Wiring>>;
