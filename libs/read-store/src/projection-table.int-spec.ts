import pg from 'pg';
import { expect, it } from 'vitest';
import { bigintTypes } from '#platform/postgres.js';
import { readModels } from '#projections/read-models.js';
import { queued } from '#projections/testing/stories.js';
import { untilEnd } from '../../../test/support/until-end.js';
import { ProjectionTable, type ModelRow } from './projection-table.js';
import { ReadStoreFixture } from './testing/read-store-fixture.js';

const fixture = await ReadStoreFixture.create();
untilEnd({ [Symbol.asyncDispose]: () => fixture.dispose() });

it('says that PostgreSQL refuses the rows of a COPY, and the connection can be used again', async () => {
  const jobs = readModels.find(({ name }) => name === 'jobs')!;
  fixture.start({ readModels, environment: 'live' });
  await fixture.passed(await fixture.append('job', 'one', [queued('one', 'acme')], { tenant: 'acme' }));
  const table = new ProjectionTable('live', jobs, 1);
  const client = new pg.Client({ connectionString: fixture.url, pipeline: true, types: bigintTypes });
  await client.connect();
  try {
    const { rows } = await client.query<ModelRow>(table.select([['one']]));
    expect(rows).toHaveLength(1);
    await expect(table.copy(rows).send(client)).rejects.toMatchObject({ code: '23505' });
    await client.query(table.delete([['one']]));
    expect(await table.copy(rows).send(client)).toMatchObject({ rowCount: 1 });
  } finally {
    await client.end();
  }
});
