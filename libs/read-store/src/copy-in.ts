import type pg from 'pg';

/** What of `pg`'s connection a COPY needs; its type declarations leave it out. */
interface CopyConnection {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** One `copy … from stdin` with all of its data. `pg` calls these methods, and no others for a COPY. */
class CopyIn {
  private readonly answer = Promise.withResolvers<void>();

  constructor(
    private readonly text: string,
    private readonly data: Buffer,
  ) {}

  get done(): Promise<void> {
    return this.answer.promise;
  }

  submit(connection: pg.Connection): void {
    (connection as unknown as CopyConnection).query(this.text);
  }

  handleCopyInResponse(connection: CopyConnection): void {
    connection.sendCopyFromChunk(this.data);
    connection.endCopyFrom();
  }

  handleCommandComplete(): void {
    // ReadyForQuery follows, and only that allows the next statement.
  }

  handleError(error: Error): void {
    this.answer.reject(error);
  }

  handleReadyForQuery(): void {
    this.answer.resolve();
  }
}

/** Sends the rows. The client may neither be a pipelined one nor have a `query_timeout`. @throws what PostgreSQL refuses them with */
export async function copyIn(
  client: pg.Client,
  { text, data }: { readonly text: string; readonly data: Buffer },
): Promise<void> {
  await client.query(new CopyIn(text, data)).done;
}
