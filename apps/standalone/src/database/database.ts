import pg from 'pg';
import { StartError } from '../start-error.js';

/** The PostgreSQL server that everything runs on. */
export interface Database {
  readonly url: string;
  /** Ends the server when it is ours. Committed data is on the disk when this resolves. */
  stop(): Promise<void>;
}

const connectTimeoutMs = 5_000;

/**
 * A server of the operator's own, which is neither started nor stopped here.
 * @throws StartError when it does not answer
 */
export async function externalDatabase(url: string): Promise<Database> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectTimeoutMs });
  // A connection that breaks after the check is nobody's concern here.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
  } catch (error) {
    throw new StartError(
      `DATABASE_URL cannot be used: ${because(error)}. Start that server or correct the URL; ` +
        'without DATABASE_URL an embedded PostgreSQL is used',
    );
  } finally {
    await client.end().catch(() => undefined);
  }
  return { url, stop: () => Promise.resolve() };
}

/** A refused connection comes as an AggregateError without a message: one error for each address that was tried. */
function because(error: unknown): string {
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  return first instanceof Error ? first.message : String(first);
}
