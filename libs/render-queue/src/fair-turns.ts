/** The waiting tasks of one tenant: the turn of its first and of its last one. */
export interface WaitingTenant {
  readonly tenant: string;
  readonly first: number;
  readonly last: number;
}

/** PostgreSQL's largest integer: where turns end up only when a queue has not been empty for two billion tasks. */
const lastTurn = 2 ** 31 - 1;

/**
 * The turn of each new task; lower turns are served first, the older task first where turns are equal. A tenant's
 * tasks get consecutive turns, and a tenant that comes new joins at the turn that is being served now. So a tenant
 * with fifty waiting tasks and one with a single task alternate, and each other tenant overtakes a waiting task
 * at most once a turn (start-time fair queueing, every task counted as one unit of work).
 */
export function fairTurns(tenants: readonly string[], waiting: readonly WaitingTenant[]): number[] {
  const current = waiting.reduce((lowest, { first }) => Math.min(lowest, first), lastTurn);
  const start = waiting.length === 0 ? 0 : current;
  const lastOf = new Map(waiting.map(({ tenant, last }) => [tenant, last]));
  return tenants.map((tenant) => {
    const last = lastOf.get(tenant);
    const turn = Math.min(lastTurn, last === undefined ? start : Math.max(start, last + 1));
    lastOf.set(tenant, turn);
    return turn;
  });
}
