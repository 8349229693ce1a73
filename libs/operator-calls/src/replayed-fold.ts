import type { DomainEvent } from '#domain/events.js';

export type View = Record<string, unknown>;

/** A stream's state as it grows. The views are copies: the account edits its open charges in place. */
export interface ReplayedFold {
  apply(event: DomainEvent): void;
  /** What an operator wants to see in each line of the history. */
  summary(): View;
  /** Everything that is known. */
  detail(): View;
}

export function replayed<State>(
  initial: State,
  evolve: (state: State, event: never) => State,
  summary: (state: State) => View,
  detail: (state: State) => View = (known) => Object.fromEntries(Object.entries(known ?? {})),
): ReplayedFold {
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
