import * as account from '#domain/account/account.js';
import * as asset from '#domain/asset/asset.js';
import type { DomainEvent } from '#domain/events.js';
import * as job from '#domain/job/job.js';
import * as key from '#domain/key/key.js';
import * as operation from '#domain/operation/operation.js';
import * as preset from '#domain/preset/preset.js';
import * as product from '#domain/product/product.js';
import type { StreamCategory } from '#domain/streams.js';
import type { AccountEvent } from '#domain/account/account.events.js';
import type { AssetEvent } from '#domain/asset/asset.events.js';
import type { JobEvent } from '#domain/job/job.events.js';
import type { KeyEvent } from '#domain/key/key.events.js';
import type { OperationEvent } from '#domain/operation/operation.events.js';
import type { PresetEvent } from '#domain/preset/preset.events.js';
import type { ProductEvent } from '#domain/product/product.events.js';

/** A stream's state as it grows. The views are copies: the account edits its open charges in place. */
export interface Fold {
  apply(event: DomainEvent): void;
  /** What an operator wants to see in each line of the history. */
  summary(): Record<string, unknown>;
  /** Everything that is known. */
  detail(): Record<string, unknown>;
}

/** Undefined for streams that are a list of facts and fold into nothing. */
export function foldOf(category: StreamCategory): Fold | undefined {
  switch (category) {
    case 'account':
      return new StateFold<account.Account, AccountEvent>(account.initialAccount, account.evolveAccount, {
        summary: summariseAccount,
        detail: (state) =>
          state.status === 'unopened'
            ? state
            : { ...summariseAccount(state), open_charges: listCharges(state) },
      });
    case 'job':
      return new StateFold<job.Job, JobEvent>(job.initialJob, job.evolveJob, {
        summary: (state) => ({ status: state.status, attempt: 'attempt' in state ? state.attempt : 0 }),
        detail: (state) => ({ ...state }),
      });
    case 'key':
      return new StateFold<key.Key, KeyEvent>(key.initialKey, key.evolveKey, {
        summary: (state) => ({ status: state.status }),
        detail: (state) => ({ ...state }),
      });
    case 'asset':
      return new StateFold<asset.Asset, AssetEvent>(asset.initialAsset, asset.evolveAsset, {
        summary: (state) => ({ content_type: state?.contentType, size_bytes: state?.sizeBytes }),
        detail: (state) => ({ ...state }),
      });
    case 'product':
      return new StateFold<product.Product, ProductEvent>(product.initialProduct, product.evolveProduct, {
        summary: (state) =>
          state.status === 'unregistered' || state.status === 'reference'
            ? { ...state }
            : { status: state.status, title: state.title, images: state.images.length },
        detail: (state) => ({ ...state }),
      });
    case 'preset':
      return new StateFold<preset.Preset, PresetEvent>(preset.initialPreset, preset.evolvePreset, {
        summary: (state) =>
          state.status === 'unpublished'
            ? { status: state.status }
            : { status: state.status, kind: state.preset.kind, label: state.preset.label },
        detail: (state) => ({ ...state }),
      });
    case 'operation':
      return new StateFold<operation.Operation, OperationEvent>(
        operation.initialOperation,
        operation.evolveOperation,
        { summary: (state) => ({ ...state }), detail: (state) => ({ ...state }) },
      );
    case 'usage':
      return undefined;
    default:
      return category satisfies never;
  }
}

interface Views<State> {
  readonly summary: (state: State) => Record<string, unknown>;
  readonly detail: (state: State) => Record<string, unknown>;
}

class StateFold<State, Event extends DomainEvent> implements Fold {
  constructor(
    private state: State,
    private readonly evolve: (state: State, event: Event) => State,
    private readonly views: Views<State>,
  ) {}

  apply(event: DomainEvent): void {
    // A stream holds the events of its own category only.
    this.state = this.evolve(this.state, event as Event);
  }

  summary(): Record<string, unknown> {
    return this.views.summary(this.state);
  }

  detail(): Record<string, unknown> {
    return this.views.detail(this.state);
  }
}

function summariseAccount(state: account.Account): Record<string, unknown> {
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

function listCharges({ charges }: account.OpenedAccount) {
  return charges
    .entries()
    .map(([chargeId, { jobId, amount, at }]) => ({ charge_id: chargeId, job_id: jobId, amount, at }));
}
