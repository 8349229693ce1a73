import { hostname } from 'node:os';
import pg from 'pg';

/** PostgreSQL cuts names of applications off here. */
const longestNameBytes = 63;

/**
 * A connection for rebuilding, not yet connected: statements one after the other, revisions and positions as `bigint`.
 * It says in `pg_stat_activity` whose it is, which is what a second rebuild of the same read model is told.
 */
export function rebuildClient(url: string, settings: Readonly<Record<string, string>> = {}): pg.Client {
  const client = new pg.Client({
    connectionString: url,
    application_name: `atelier rebuild, pid ${process.pid} on ${hostname()}`.slice(0, longestNameBytes),
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    options: Object.entries({ jit: 'off', ...settings })
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
    types: { getTypeParser: parserOf as typeof pg.types.getTypeParser },
  });
  // The statement that is under way fails by itself, and so does the next one.
  client.on('error', () => undefined);
  return client;
}

function parserOf(
  oid: Parameters<typeof pg.types.getTypeParser>[0],
  format?: 'text' | 'binary',
): (value: string) => unknown {
  return oid === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(oid, format);
}
