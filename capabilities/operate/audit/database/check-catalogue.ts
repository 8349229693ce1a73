import { schema as queueSchema } from '#render-queue/queue-levels.js';
import type { AuditFindings } from '../findings.js';
import type { ColumnKind, ReadModelFold } from '../rows/folded-rows.js';
import type { CatalogueFact } from './read-catalogue.js';
import { releaseCatalogue } from './release-catalogue.js';

/** The pseudo schema in {@link releaseCatalogue} for the objects that every environment has. */
export const anyEnvironment = 'environment';

/**
 * A schema, and its read models with the generation that serves each. The list is empty if this schema holds no
 * rows of read models.
 */
export interface AuditedSchema {
  readonly schema: string;
  readonly isEnvironment?: boolean;
  readonly readModels: readonly { readonly fold: ReadModelFold; readonly generation: number }[];
}

const typeOfKind: Readonly<Record<ColumnKind, string>> = {
  text: 'text',
  integer: 'integer',
  time: 'timestamp with time zone',
  json: 'jsonb',
};

/** A later release may add these; the statements of this release do not use them. */
const mayBeMore = new Set<CatalogueFact['kind']>(['table', 'view', 'column']);
const keysOfTables = new Set<CatalogueFact['kind']>(['constraint', 'index']);
/**
 * Facts of earlier releases that stay in place, because those releases may run beside this one or come back. They must
 * match exactly: a function with another body has another hash.
 */
const formerFacts = `
event_store | function | append_batch(streams text[], expected bigint[], event_append integer[], event_place integer[], event_stream text[], event_id uuid[], event_type text[], event_data json[], event_metadata json[], OUT base bigint, OUT actual bigint[]) | f streams text[], expected bigint[], event_append integer[], event_place integer[], event_stream text[], event_id uuid[], event_type text[], event_data json[], event_metadata json[], OUT base bigint, OUT actual bigint[] returns record plpgsql v {plan_cache_mode=force_generic_plan} 5d14317e2ec7dd43d1387c2c8081458a68cfd6c06ba86c8e22ac45a9605abb98
`;

/**
 * The kinds of facts that are wrong even in an unfinished or retired generation. Its other facts may be unfinished, or
 * of another release.
 */
const neverInSpares = new Set<CatalogueFact['kind']>(['trigger', 'rule', 'policy', 'grant', 'owner']);

/**
 * Compares the schemas in PostgreSQL with those of this release: with the result of its migrations
 * ({@link releaseCatalogue}), and with the tables that the folds of the read models declare.
 */
export function checkCatalogue(
  found: readonly CatalogueFact[],
  schemas: readonly AuditedSchema[],
  findings: AuditFindings,
): void {
  const check = 'database';
  const expected = new Map(schemas.flatMap(expectedIn).map((fact) => [keyOf(fact), fact]));
  const there = new Map(found.filter(isLookedAt).map((fact) => [keyOf(fact), fact]));
  // One environment may have been rebuilt alone, so generations differ between schemas.
  const serving = new Set(
    schemas.flatMap(({ schema, readModels }) => readModels.map((model) => `${schema}.${tableOf(model)}`)),
  );
  const wrong = (fact: CatalogueFact, what: string, expectedText: unknown, foundText: unknown) => {
    const { schema, kind, name } = fact;
    const message = `${kind} ${schema === '' ? name : `${schema}.${name}`} ${what}`;
    findings.wrong({ check, message, expected: expectedText, found: foundText });
  };
  for (const [key, fact] of expected) {
    findings.checked(check);
    const actual = there.get(key);
    if (!actual) wrong(fact, 'is missing', fact.definition, null);
    else if (!isSame(fact, actual))
      wrong(fact, 'is not the one that this release makes', fact.definition, actual.definition);
  }
  for (const [key, fact] of there) {
    if (expected.has(key) || mayBeMore.has(fact.kind) || isKeyOfNewTable(fact, expected) || isFormer(fact))
      continue;
    const isSpare = isOfGeneration(fact) && !serving.has(`${fact.schema}.${fact.name.split('.', 1)[0]}`);
    if (isSpare && !neverInSpares.has(fact.kind)) continue;
    findings.checked(check);
    wrong(fact, 'was not made by this release', null, fact.definition);
  }
}

/** A key of a table that a later release has added. A foreign key is none: it limits what this release can delete. */
function isKeyOfNewTable(fact: CatalogueFact, expected: ReadonlyMap<string, CatalogueFact>): boolean {
  if (!keysOfTables.has(fact.kind) || isOfGeneration(fact) || fact.definition.startsWith('FOREIGN KEY'))
    return false;
  const [table = ''] = fact.name.split('.', 1);
  return !expected.has(keyOf({ ...fact, kind: 'table', name: table }));
}

/**
 * The queue's tables belong to its library, which makes lost ones again. Only their triggers, functions and the
 * like are checked.
 */
const isLookedAt = ({ schema, kind }: CatalogueFact) =>
  schema !== queueSchema || kind === 'function' || neverInSpares.has(kind);

const isFormer = (fact: CatalogueFact) =>
  releaseFacts(formerFacts).some(
    (former) => keyOf(former) === keyOf(fact) && former.definition === fact.definition,
  );

const keyOf = ({ schema, kind, name }: CatalogueFact) => `${schema} ${kind} ${name}`;
const tableOf = ({ fold, generation }: AuditedSchema['readModels'][number]) => `${fold.name}_g${generation}`;
const isOfGeneration = ({ name }: CatalogueFact) => /^\w+_g\d+(\.|$)/.test(name);

function expectedIn({ schema, isEnvironment, readModels }: AuditedSchema): CatalogueFact[] {
  const ofMigrations = releaseFacts()
    .filter((fact) => fact.schema === (isEnvironment ? anyEnvironment : schema))
    .map((fact) => ({ ...fact, schema, definition: inSchema(fact.definition, schema) }));
  return [...ofMigrations, ...readModels.flatMap((model) => factsOfReadModel(schema, model))];
}

const inSchema = (definition: string, schema: string) =>
  definition.replaceAll(`${anyEnvironment}.`, `${schema}.`);

/** One a line: schema, kind, name and definition. */
export function releaseFacts(text: string = releaseCatalogue): CatalogueFact[] {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [schema = '', kind = '', name = '', ...definition] = line.split(' | ');
      // The file is written by the spec beside it.
      return { schema, kind, name, definition: definition.join(' | ') } as CatalogueFact;
    });
}

function factsOfReadModel(schema: string, model: AuditedSchema['readModels'][number]): CatalogueFact[] {
  const { name, columns, keyColumns } = model.fold;
  const table = tableOf(model);
  const names = columns.map((column) => column.name);
  const key = names.slice(0, keyColumns).join(', ');
  return [
    { schema, kind: 'table', name: table, definition: 'table' },
    ...columns.map((column): CatalogueFact => {
      const definition = typeOfKind[column.kind];
      return { schema, kind: 'column', name: `${table}.${column.name}`, definition };
    }),
    { schema, kind: 'constraint', name: `${table}.${table}_pkey`, definition: `PRIMARY KEY (${key})` },
    { schema, kind: 'view', name, definition: `SELECT ${names.join(', ')} FROM ${schema}.${table}` },
  ];
}

function isSame(expected: CatalogueFact, actual: CatalogueFact): boolean {
  if (expected.kind === 'view') return isSameView(expected.definition, actual.definition);
  if (expected.kind === 'column' && isOfGeneration(expected))
    return expected.definition === actual.definition.replace(/ not null$/, '');
  return expected.definition === actual.definition;
}

/**
 * The columns are in the order of the release that made the view, and a later release may show more. PostgreSQL 15
 * writes the table before each column.
 */
function isSameView(expected: string, actual: string): boolean {
  const [columns, table = ''] = partsOfView(expected);
  const plain = actual.replace(/\s+/g, ' ').replaceAll('"', '').replace(/;$/, '').trim();
  const [shown, from] = partsOfView(plain.replaceAll(`${table.split('.')[1]}.`, ''));
  return (
    from === table &&
    shown.every((each) => /^\w+$/.test(each)) &&
    columns.every((each) => shown.includes(each))
  );
}

function partsOfView(definition: string): [columns: readonly string[], table: string | undefined] {
  const [, columns = '', table] = /^SELECT (.+) FROM (\S+)$/.exec(definition) ?? [];
  return [columns.split(', '), table];
}

/** The generation that a view of a read model shows; undefined: no such view, or it shows something else. */
export function generationShown(definition: string | undefined): number | undefined {
  const [, generation] = /\sFROM \w+\.\w+_g(\d+);?$/i.exec(definition ?? '') ?? [];
  return generation === undefined ? undefined : Number(generation);
}
