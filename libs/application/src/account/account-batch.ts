import { evolveAccount, forkAccount, type Account } from '#domain/account/account.js';
import type { AccountEvent } from '#domain/account/account.events.js';
import type { Decision } from '#domain/decision.js';
import type { NewEvent } from '#event-store/event-store.js';
import { toNewEvent, type CommandContext } from '../command-context.js';

export type AccountVerdict<Rejection> =
  | {
      readonly kind: 'accepted';
      /** False when the command found its work done already. */
      readonly changed: boolean;
      /** Position of the account's last event after the command. */
      readonly position: bigint | undefined;
    }
  | { readonly kind: 'rejected'; readonly rejection: Rejection };

/** A command in an account's mailbox. */
export interface Waiting {
  /** Absent for a look at the account, which emits nothing. */
  readonly context: CommandContext | undefined;
  readonly decide: (account: Account) => Decision<AccountEvent, unknown>;
  readonly resolve: (verdict: AccountVerdict<unknown>) => void;
  readonly reject: (error: unknown) => void;
}

export interface DecidedBatch {
  readonly verdicts: readonly (
    AccountVerdict<unknown> | { readonly kind: 'threw'; readonly error: unknown }
  )[];
  readonly domainEvents: readonly AccountEvent[];
  readonly events: readonly NewEvent[];
}

/** Decides the commands one after the other, each on the state that its accepted predecessors leave behind. */
export function decideAll(batch: readonly Waiting[], account: Account): DecidedBatch {
  let draft = forkAccount(account);
  const domainEvents: AccountEvent[] = [];
  const events: NewEvent[] = [];
  const verdicts = batch.map(({ decide, context }): DecidedBatch['verdicts'][number] => {
    try {
      const decision = decide(draft);
      if (decision.kind === 'rejected') return decision;
      decision.events.forEach((event, index) => {
        draft = evolveAccount(draft, event);
        domainEvents.push(event);
        if (context) events.push(toNewEvent(event, index, context));
      });
      return { kind: 'accepted', changed: decision.events.length > 0, position: undefined };
    } catch (error) {
      // A defect in one command must not take its neighbours down with it.
      return { kind: 'threw', error };
    }
  });
  return { verdicts, domainEvents, events };
}

type Verdict = DecidedBatch['verdicts'][number];

export function hasEvents(verdict: Verdict | undefined): boolean {
  return verdict?.kind === 'accepted' && verdict.changed;
}

/** @param except commands that are decided again and answered then */
export function answer(
  batch: readonly Waiting[],
  verdicts: readonly Verdict[],
  position: bigint | undefined,
  except: readonly Waiting[] = [],
): void {
  batch.forEach((command, index) => {
    if (except.includes(command)) return;
    const verdict = verdicts[index];
    if (!verdict || verdict.kind === 'threw') command.reject(verdict?.error);
    else command.resolve(verdict.kind === 'accepted' ? { ...verdict, position } : verdict);
  });
}
