import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuditFindings } from '../findings.js';
import { PgBossRenderQueue } from '#render-queue/pg-boss-render-queue.js';
import { schema as queueSchema } from '#render-queue/queue-levels.js';
import { defaultSchema as logSchema } from '#event-store/postgres/schema.js';
import { readModels } from '#projections/read-models.js';
import { foldsForAudit } from '#read-store/folds-for-audit.js';
import { ReadStoreFixture, silent } from '#read-store/testing/read-store-fixture.js';
import { anyEnvironment, checkCatalogue } from './check-catalogue.js';
import { catalogueOf, type CatalogueFact } from './read-catalogue.js';

const schemas = [logSchema, 'read_store', 'live', queueSchema];
const names = readModels.map(({ name }) => name);

let fixture: ReadStoreFixture;
beforeAll(async () => {
  fixture = await ReadStoreFixture.create();
  const queue = await PgBossRenderQueue.start({ url: fixture.url, logger: silent });
  await queue.stop(0);
});
afterAll(() => fixture.dispose());

/** What migrations make: read models are declared by their folds, and the queue's tables are the library's business. */
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

describe('the catalogue of the release', () => {
  it('is what a fresh database has; after a new migration: npm test -- libs/audit/src/database -u', async () => {
    const facts = (await catalogueOf(fixture.url, schemas)).filter(isOfMigrations);
    const lines = facts.map(lineOf).sort();
    const text = `/** What migrations make. Written by the spec beside this file, which says how. */\nexport const releaseCatalogue = \`\n${lines.join('\n')}\n\`;\n`;
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
});
