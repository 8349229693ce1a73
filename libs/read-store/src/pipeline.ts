import type pg from 'pg';

/**
 * Sends the queries together and waits for all answers: one round trip on a pipelined connection. Throws what went
 * wrong first; when it is a transaction, the server has then rolled it back, commit included.
 */
export async function inOneRoundTrip(
  client: pg.Client,
  queries: readonly pg.QueryConfig[],
): Promise<pg.QueryResult[]> {
  const settled = await Promise.allSettled(queries.map((query) => client.query(query)));
  return settled.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}

export function inTransaction(
  client: pg.Client,
  queries: readonly pg.QueryConfig[],
): Promise<pg.QueryResult[]> {
  return inOneRoundTrip(client, [{ text: 'begin' }, ...queries, { text: 'commit' }]);
}
