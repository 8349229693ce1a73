import { ConfigurationError } from './configuration.js';

/**
 * The most connections to PostgreSQL that one process of a role opens, unless DATABASE_CONNECTIONS is set.
 * Three APIs, two projectors and five workers need 92 of the 97 connections that a server with PostgreSQL's
 * defaults offers.
 */
export const connectionBudgets = { api: 13, projector: 14, worker: 5 } as const;

export type ConnectedRole = keyof typeof connectionBudgets;

/** Connections that each have one purpose, with any budget. */
const fixed = {
  /** Two that listen to commits and to checkpoints, two for looks at levels and at readiness. */
  api: 4,
  /**
   * One that listens to commits; a session and a loader for each environment; housekeeping; read models of each
   * environment; levels, readiness; the render queue and its listener.
   */
  projector: 12,
  /** One that listens to commits, one for readiness; the render queue and its listener. */
  worker: 4,
} as const;

/** The most connections that one process opens, by their purpose. */
export interface ConnectionShares {
  /** The log and its snapshots. */
  readonly events: number;
  /** The read models of one environment. */
  readonly reads: number;
  /** Idempotency-Keys and shared rate limits. */
  readonly keys: number;
}

/** @throws ConfigurationError when the role cannot work with so few */
export function shareConnections(
  role: ConnectedRole,
  total: number = connectionBudgets[role],
): ConnectionShares {
  const free = total - fixed[role];
  const reads = role === 'api' ? Math.max(1, Math.floor(free / 4)) : 0;
  const keys = role === 'api' ? Math.max(1, Math.floor(free / 3)) : 0;
  const events = free - keys - 2 * reads;
  if (events < 1) {
    const least = fixed[role] + (role === 'api' ? 4 : 1);
    throw new ConfigurationError(
      `DATABASE_CONNECTIONS must be at least ${least} for this role (${role}), not "${total}"`,
    );
  }
  return { events, reads, keys };
}
