import { expect } from 'vitest';
import type { Decision } from '#domain/decision.js';

/**
 * `given(aggregate, events).when(decide).then(events)` or `.thenRejected(rejection)` states a rule of the
 * domain.
 */
export function given<State, Event>(
  aggregate: { readonly initial: State; evolve(state: State, event: Event): State },
  history: readonly Event[],
) {
  const state = history.reduce((older, event) => aggregate.evolve(older, event), aggregate.initial);
  return {
    state,
    /** @param command what `decide` takes before the state, if anything */
    when<Rejection, Command extends readonly unknown[] = []>(
      decide: (...args: [...Command, State]) => Decision<Event, Rejection>,
      ...command: Command
    ) {
      const decision = decide(...command, state);
      return {
        then: (...events: Event[]) => expect(decision).toEqual({ kind: 'accepted', events }),
        thenRejected: (rejection: Rejection) => expect(decision).toEqual({ kind: 'rejected', rejection }),
      };
    },
  };
}
