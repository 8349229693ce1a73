import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Environment } from '#domain/streams.js';
import type { Findings } from '../findings.js';

interface ServingView {
  readonly table: string;
  readonly generation: number;
  readonly definition: string | null;
}

/** A switch of generations may come between the two halves of a look: what is seen three times is so. */
const looks = 3;
const pauseMs = 300;

/** Readers read a view: it has to be over the generation that serves, whose rows were compared. */
export async function checkViews(
  url: string,
  environments: readonly Environment[],
  findings: Findings,
): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'atelier-audit' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    let astray = await viewsAstray(client, environments);
    for (let look = 1; look < looks && astray.length > 0; look++) {
      await sleep(pauseMs);
      astray = await viewsAstray(client, environments);
    }
    for (const { table, generation, definition } of astray) {
      const message = 'the view that readers read is over another generation than the one that serves';
      const found = definition === null ? 'no view' : (tableIn(definition) ?? definition);
      const expected = `${table}_g${generation}`;
      findings.wrong({ check: 'read-models-live', message, table, expected, found });
    }
  } finally {
    await client.end();
  }
}

async function viewsAstray(client: pg.Client, environments: readonly Environment[]): Promise<ServingView[]> {
  const { rows } = await client.query<ServingView>(
    `select environment || '.' || name as table, generation,
        pg_get_viewdef(to_regclass(environment || '.' || name)) as definition
      from read_store.projections where environment = any($1) and state in ('live', 'halted')`,
    [environments],
  );
  return rows.filter(
    ({ table, generation, definition }) => tableIn(definition ?? '') !== `${table}_g${generation}`,
  );
}

function tableIn(definition: string): string | undefined {
  return /\bfrom\s+(\w+\.\w+_g\d+)/i.exec(definition)?.[1];
}
