/**
 * The result of a decide function. A rejection is a value, never an exception: the caller must distinguish the
 * reasons, and one refused command of a batch must not disturb the others.
 */
export type Decision<Event, Rejection = never> =
  | { readonly kind: 'accepted'; readonly events: readonly Event[] }
  | { readonly kind: 'rejected'; readonly rejection: Rejection };

export function accept<Event>(...events: Event[]): Decision<Event> {
  return { kind: 'accepted', events };
}

export function reject<Rejection>(rejection: Rejection): Decision<never, Rejection> {
  return { kind: 'rejected', rejection };
}
