import { evolveAccount, initialAccount, type Account, type OpenedAccount } from '#domain/account/account.js';
import { evolveAsset, initialAsset } from '#domain/asset/asset.js';
import type { DomainEvent } from '#domain/events.js';
import { evolveJob, initialJob } from '#domain/job/job.js';
import { evolveKey, initialKey } from '#domain/key/key.js';
import { evolveOperation, initialOperation } from '#domain/operation/operation.js';
import { evolvePreset, initialPreset } from '#domain/preset/preset.js';
import { evolveProduct, initialProduct } from '#domain/product/product.js';
import type { StreamCategory } from '#domain/streams.js';

type View = Record<string, unknown>;

/** A stream's state as it grows. The views are copies: the account edits its open charges in place. */
export interface Fold {
  apply(event: DomainEvent): void;
  /** What an operator wants to see in each line of the history. */
  summary(): View;
  /** Everything that is known. */
  detail(): View;
}

/** Undefined for streams that are a list of facts and fold into nothing. */
export function foldOf(category: StreamCategory): Fold | undefined {
  switch (category) {
    case 'account':
      return fold(initialAccount, evolveAccount, summariseAccount, (state) =>
        state.status === 'unopened'
          ? { ...state }
          : { ...summariseAccount(state), open_charges: listCharges(state) },
      );
    case 'job':
      return fold(initialJob, evolveJob, (state) => ({
        ...{ status: state.status, attempt: 'attempt' in state ? state.attempt : 0 },
      }));
    case 'key':
      return fold(initialKey, evolveKey, ({ status }) => ({ status }));
    case 'asset':
      return fold(initialAsset, evolveAsset, (state) => ({
        ...{ content_type: state?.contentType, size_bytes: state?.sizeBytes },
      }));
    case 'product':
      return fold(initialProduct, evolveProduct, (state) =>
        state.status === 'unregistered' || state.status === 'reference'
          ? { ...state }
          : { status: state.status, title: state.title, images: state.images.length },
      );
    case 'preset':
      return fold(initialPreset, evolvePreset, (state) =>
        state.status === 'unpublished'
          ? { status: state.status }
          : { status: state.status, kind: state.preset.kind, label: state.preset.label },
      );
    case 'operation':
      return fold(initialOperation, evolveOperation, (state) => ({ ...state }));
    case 'usage':
      return undefined;
    default:
      return category satisfies never;
  }
}

function fold<State>(
  initial: State,
  evolve: (state: State, event: never) => State,
  summary: (state: State) => View,
  detail: (state: State) => View = (known) => Object.fromEntries(Object.entries(known ?? {})),
): Fold {
  let state = initial;
  return {
    apply: (event) => {
      // A stream holds the events of its own category only: those that its fold takes.
      state = evolve(state, event as never);
    },
    summary: () => summary(state),
    detail: () => detail(state),
  };
}

function summariseAccount(state: Account): View {
  if (state.status === 'unopened') return { status: state.status };
  const open = state.charges.entries();
  return {
    status: state.status,
    balance: state.balance,
    open_charges: open.length,
    open_credits: open.reduce((sum, [, { amount }]) => sum + amount, 0),
    spent_in_window: state.spentInWindow,
    window_started_at: state.windowStartedAt,
    name: state.name,
    plan: state.terms.plan,
  };
}

function listCharges({ charges }: OpenedAccount) {
  return charges
    .entries()
    .map(([chargeId, { jobId, amount, at }]) => ({ charge_id: chargeId, job_id: jobId, amount, at }));
}
