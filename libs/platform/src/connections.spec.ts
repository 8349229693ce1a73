import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ConfigurationError } from './configuration.js';
import { connectionBudgets, shareConnections } from './connections.js';

describe('connections to PostgreSQL', () => {
  it('of three APIs, two projectors and five workers fit into the defaults of a server, with some for the operator', () => {
    const { api, projector, worker } = connectionBudgets;
    const all = 3 * api + 2 * projector + 5 * worker;
    // max_connections less superuser_reserved_connections.
    expect(all).toBeLessThanOrEqual(100 - 3 - 5);
    const page = readFileSync('docs/production.md', 'utf8');
    expect(page).toContain(`3 × ${api} + 2 × ${projector} + 5 × ${worker} = ${all}`);
  });

  it('are shared out to the last one, and each part gets at least one', () => {
    for (let total = 8; total <= 60; total++) {
      const { events, reads, keys } = shareConnections('api', total);
      expect(events + 2 * reads + keys).toBe(total - 4);
      expect(Math.min(events, reads, keys)).toBeGreaterThanOrEqual(1);
    }
    expect(shareConnections('projector', 14).events).toBe(2);
    expect(shareConnections('worker').events).toBe(1);
  });

  it('that are too few for a role are refused in one line', () => {
    for (const [role, few] of [
      ['api', 7],
      ['projector', 12],
      ['worker', 4],
    ] as const) {
      const complaint = `DATABASE_CONNECTIONS must be at least ${few + 1} for this role (${role}), not "${few}"`;
      expect(() => shareConnections(role, few)).toThrow(new ConfigurationError(complaint));
    }
  });
});
