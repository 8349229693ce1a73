import pg from 'pg';

export interface ProjectionStatus {
  readonly env: string;
  readonly name: string;
  readonly state: string;
  readonly halted_because: string | null;
  /** Null: it has folded nothing yet. */
  readonly position: string | null;
  /** How far the log's head is ahead. */
  readonly lag: number;
  /** Events that were put aside because they, or one before them in their stream, cannot be folded. */
  readonly parked: number;
}

type Row = Omit<ProjectionStatus, 'lag'>;

/** Of the generation that serves the reads. */
export async function readProjections(databaseUrl: string, head: bigint): Promise<ProjectionStatus[]> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 3_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<Row>(
      `select environment as env, name, state, halted_because, position::text,
          (select count(*)::integer from read_store.parked_events parked
            where (parked.environment, parked.name, parked.generation) = (p.environment, p.name, p.generation)) as parked
        from read_store.projections p where state in ('live', 'halted') order by environment, name`,
    );
    return rows.map((row) => ({ ...row, lag: behind(head, row.position) }));
  } finally {
    await client.end().catch(() => undefined);
  }
}

function behind(head: bigint, position: string | null): number {
  const distance = head - BigInt(position ?? 0);
  return distance > 0n ? Number(distance) : 0;
}
