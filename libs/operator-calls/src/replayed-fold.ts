import type { DomainEvent } from '#domain/events.js';

export type View = Record<string, unknown>;

/**
 * A stream's state as it grows. The views are copies, because the account changes its open charges in place.
 */
export interface ReplayedFold {
  apply(event: DomainEvent): void;
  /** The facts for one line of the history. */
  summary(): View;
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
      // Safe cast: a stream holds only events of its own category, which its fold takes.
      state = evolve(state, event as never);
    },
    summary: () => summary(state),
    detail: () => detail(state),
  };
}
