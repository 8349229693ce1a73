import pg from 'pg';

/** The transaction of a part. The part must not commit it. */
export interface PartTransaction {
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<pg.QueryResult<Row>>;
}

/** Writes of one task that are committed all or not at all. */
export interface Part {
  /**
   * Writes that need the answer to an earlier write. All other parts wait for them, so await only the
   * transaction here.
   */
  readonly write?: ((tx: PartTransaction) => Promise<void>) | undefined;
  readonly queries: readonly pg.QueryConfig[];
  /** How long the part may wait for another part to join. Default 0. */
  readonly patienceMs?: number;
}

interface WaitingPart {
  readonly part: Part;
  readonly timer: NodeJS.Timeout | undefined;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Shares one connection among tasks. Parts that wait when the connection becomes free commit in one
 * transaction. If PostgreSQL refuses that transaction, or a part throws, each part is committed by itself. So
 * no part fails because of another.
 */
export class CommitQueue {
  private readonly waiting = new Set<WaitingPart>();
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly client: pg.Client) {}

  /** Resolves when it is committed. @throws the reason why this part cannot be committed */
  commit(part: Part): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const { patienceMs } = part;
    const timer = patienceMs === undefined ? undefined : setTimeout(() => this.flush(), patienceMs);
    this.waiting.add({ part, timer, resolve, reject });
    if (timer === undefined) this.flush();
    return promise;
  }

  /** Does the work on the connection while nothing else uses it. */
  alone<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const done = this.last.then(() => work(this.client));
    this.last = done.catch(() => undefined);
    return done;
  }

  private flush(): void {
    void this.alone(async () => {
      const parts = [...this.waiting];
      this.waiting.clear();
      for (const { timer } of parts) clearTimeout(timer);
      await this.together(parts);
    });
  }

  private async together(parts: readonly WaitingPart[]): Promise<void> {
    if (parts.length === 0) return;
    const { client } = this;
    let committing = false;
    try {
      sendTogether(client);
      const begun = client.query('begin');
      begun.catch(() => undefined);
      for (const { part } of parts) if (part.write) await part.write(client);
      committing = true;
      const queries = parts.flatMap(({ part }) => part.queries);
      await inOneRoundTrip(client, [...queries, { text: 'commit' }]);
      await begun;
      for (const { resolve } of parts) resolve();
    } catch (error) {
      // If the connection failed, the server has rolled back by itself.
      if (!committing) await client.query('rollback').catch(() => undefined);
      // If PostgreSQL did not refuse it, the commit may have happened, so it is not tried again.
      if (parts.length === 1 || (committing && !(error instanceof pg.DatabaseError)))
        for (const { reject } of parts) reject(error);
      else for (const part of parts) await this.together([part]);
    }
  }
}

/** A query, or something that sends itself. */
export type QueryToSend = pg.QueryConfig | { send(client: pg.Client): Promise<pg.QueryResult> };

/** Queries up to the next tick go to the server in one packet. The driver writes each by itself. */
function sendTogether({ connection: { stream } }: pg.Client): void {
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/**
 * Sends the queries together and waits for all answers: one round trip on a pipelined connection. Throws the
 * first error. The server has then rolled back a transaction, even if the queries included its commit.
 */
export async function inOneRoundTrip(
  client: pg.Client,
  queries: readonly QueryToSend[],
): Promise<pg.QueryResult[]> {
  sendTogether(client);
  const settled = await Promise.allSettled(
    queries.map((query) => ('send' in query ? query.send(client) : client.query(query))),
  );
  return settled.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}

export function inTransaction(client: pg.Client, queries: readonly QueryToSend[]): Promise<pg.QueryResult[]> {
  return inOneRoundTrip(client, [{ text: 'begin' }, ...queries, { text: 'commit' }]);
}

/** Runs the work in its own transaction, which is rolled back when the work throws. */
export async function transact<T>(client: pg.ClientBase, work: () => Promise<T>): Promise<T> {
  await client.query('begin');
  try {
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    // If the connection failed, the server has rolled back by itself.
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}
