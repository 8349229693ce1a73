import pg from 'pg';

/** PostgreSQL's error code; undefined for an error that is not from the server. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/**
 * Call it for each new connection of a pool. If a connection breaks, it rejects its statement and also raises
 * an `error` event, which ends a process without a listener. The pool listens while a connection is idle, and
 * its user listens while he has it. Between the two there is a moment without a listener: a server that stopped
 * then ended the process.
 */
export function surviveItsEnd(client: pg.ClientBase): void {
  client.on('error', () => undefined);
}

/** Works on a connection of its own, which is closed afterwards. */
export async function withConnection<T>(
  config: pg.ClientConfig,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(config);
  // A connection that breaks fails the query that waits for it.
  surviveItsEnd(client);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** The row of a statement that always gives one. */
export function onlyRow<Row>({ rows }: { readonly rows: readonly Row[] }): Row {
  const [row] = rows;
  if (row === undefined) throw new Error('a statement that gives one row gave none');
  return row;
}

const parseBigints = (text: string): bigint[] =>
  text === '{}' ? [] : text.slice(1, -1).split(',').map(BigInt);

const bigintParsers = new Map<number, (text: string) => bigint | bigint[]>([
  [pg.types.builtins.INT8, BigInt],
  // int8[]
  [1016, parseBigints],
]);

/**
 * Connections that are made with these types convert `int8` and `int8[]` to `bigint`. On all others they stay
 * text.
 */
export const bigintTypes: pg.CustomTypesConfig = {
  // The declaration has one overload for each literal oid, which no single function can satisfy.
  getTypeParser: ((oid: Parameters<typeof pg.types.getTypeParser>[0], format: 'text') =>
    bigintParsers.get(oid) ?? pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};
