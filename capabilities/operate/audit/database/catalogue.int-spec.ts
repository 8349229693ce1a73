import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuditFindings } from '../findings.js';
import { PgBossRenderQueue } from '#render-queue/pg-boss-render-queue.js';
import { schema as queueSchema } from '#render-queue/queue-levels.js';
import { commitChannel, keysSchema, logSchema } from '#event-store/postgres/schema.js';
import { readModels } from '#projections/read-models.js';
import { foldsForAudit } from '../../ledger/folds-for-audit.js';
import { ReadStoreFixture, silent } from '#read-store/testing/read-store-fixture.js';
import { anyEnvironment, checkCatalogue } from './check-catalogue.js';
import { catalogueOf, type CatalogueFact } from './read-catalogue.js';

const schemas = [logSchema, keysSchema, 'read_store', 'live', queueSchema];
const names = readModels.map(({ name }) => name);

let fixture: ReadStoreFixture;
beforeAll(async () => {
  fixture = await ReadStoreFixture.create();
  const queue = await PgBossRenderQueue.start({ url: fixture.url, logger: silent });
  await queue.stop(0);
});
afterAll(() => fixture.dispose());

/**
 * Whether migrations make it. The folds declare the read models, and the queue's library makes the queue's
 * tables.
 */
function isOfMigrations({ schema, kind, name }: CatalogueFact): boolean {
  if (schema === queueSchema) return kind === 'function';
  const [, model = name] = /^(\w+)_g\d+(?:\.|$)/.exec(name) ?? [];
  return schema !== 'live' || !names.includes(model);
}

function lineOf({ schema, kind, name, definition }: CatalogueFact): string {
  const isEnvironment = schema === 'live';
  const of = isEnvironment ? anyEnvironment : schema;
  return [of, kind, name, definition.replaceAll(/\blive\./g, `${anyEnvironment}.`)].join(' | ');
}

const formerSignature = `${logSchema}.append_batch(text[], bigint[], int[], int[], text[], uuid[], text[], json[], json[])`;
/** The function of the releases that appended to one stream at a time. */
const formerAppend = `create function "${logSchema}".append_batch(
  in streams text[], in expected bigint[],
  in event_append int[], in event_place int[], in event_stream text[],
  in event_id uuid[], in event_type text[], in event_data json[], in event_metadata json[],
  out base bigint, out actual bigint[]
) language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  accepted boolean[];
  appended bigint;
begin
  select h.position into strict base from "${logSchema}".head h for update;

  select array_agg(found.revision order by a.n), array_agg(a.expected in (-2, found.revision) order by a.n)
    into actual, accepted
    from unnest(streams, expected) with ordinality as a (stream, expected, n)
    cross join lateral (
      select coalesce((
        select e.revision from "${logSchema}".events e where e.stream = a.stream order by e.revision desc limit 1
      ), -1) as revision
    ) as found;

  insert into "${logSchema}".events (position, revision, id, stream, type, data, metadata)
  select base + row_number() over (order by f.n), actual[f.append] + f.place, f.id, f.stream, f.type, f.data, f.metadata
    from unnest(event_append, event_place, event_stream, event_id, event_type, event_data, event_metadata)
      with ordinality as f (append, place, stream, id, type, data, metadata, n)
   where accepted[f.append];
  get diagnostics appended = row_count;

  if appended > 0 then
    update "${logSchema}".head set position = base + appended;
    perform pg_notify('${commitChannel}', (base + appended)::text);
  end if;
end $$;`;

describe('the catalogue of the release', () => {
  it('is what a fresh database has; after a new migration: npm test -- capabilities/operate/audit/database -u', async () => {
    const facts = (await catalogueOf(fixture.url, schemas)).filter(isOfMigrations);
    const lines = facts.map(lineOf).sort();
    const text = `/** The schemas that migrations make. The spec beside this file writes it, and says how. */\nexport const releaseCatalogue = \`\n${lines.join('\n')}\n\`;\n`;
    await expect(text).toMatchFileSnapshot('./release-catalogue.ts');
  });

  it('has nothing to say against a fresh database', async () => {
    const findings = new AuditFindings();
    const folds = foldsForAudit(readModels).map((fold) => ({ fold, generation: 1 }));
    const audited = schemas.map((schema) => {
      const isEnvironment = schema === 'live';
      return { schema, isEnvironment, readModels: isEnvironment ? folds : [] };
    });
    checkCatalogue(await catalogueOf(fixture.url, schemas), audited, findings);
    expect(findings.all).toEqual([]);
    expect(findings.of('database').checked).toBeGreaterThan(200);
  });

  it.each([
    ['a table of a later release', 'id integer primary key, name text unique check (length(name) < 9)', 0],
    ['and not one that holds rows of this release fast', 'id uuid references data_keys.keys', 1],
  ])('leaves %s', async (_what, columns, wrong) => {
    await fixture.sql.query(
      `create table data_keys.later (${columns}); create index on data_keys.later (id)`,
    );
    const facts = await catalogueOf(fixture.url, [keysSchema]);
    await fixture.sql.query('drop table data_keys.later');
    const findings = new AuditFindings();
    checkCatalogue(facts, [{ schema: keysSchema, readModels: [] }], findings);
    expect(findings.all.map(({ found }) => found)).toHaveLength(wrong);
  });

  it.each([
    ['what an earlier release appends with', '', 0],
    ['and not what has become of that', 'perform 1;', 1],
  ])('leaves %s', async (_what, altered, wrong) => {
    const body = formerAppend.replace('begin\n', `begin\n${altered}`);
    await fixture.sql.query(body);
    const facts = await catalogueOf(fixture.url, [logSchema]);
    await fixture.sql.query(`drop function ${formerSignature}`);
    const findings = new AuditFindings();
    checkCatalogue(facts, [{ schema: logSchema, readModels: [] }], findings);
    expect(findings.all.map(({ found }) => found)).toHaveLength(wrong);
  });
});
