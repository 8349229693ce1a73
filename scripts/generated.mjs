/*
 * Writes the files, and the parts of pages, that follow from declarations in the code, or checks that they are
 * up to date (--check): the names of workflows and families in the schema of image models, the example of
 * image models, the personal fields in docs/privacy.md, and tables of words in docs/guides/vocabulary.md and
 * docs/engines.md. The script reads the folders of all capabilities, so it also names the families of engines of
 * those that are not installed.
 */
import 'reflect-metadata';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { briefTasks } from '@atelier/engine';
import { format, resolveConfig } from 'prettier';

const root = join(import.meta.dirname, '..');
const check = process.argv.includes('--check');
const built = (path) => import(join(root, 'dist', path));

/** The capability that declares each family. */
async function readFamilies() {
  const families = {};
  for (const file of globSync('dist/capabilities/*/*.capability.js', { cwd: root }).toSorted())
    for (const capability of Object.values(await import(join(root, file))))
      for (const family of Object.keys(capability.engines ?? {})) families[family] = capability.name;
  return families;
}

async function schemaOf(text) {
  const schema = JSON.parse(text);
  const families = await readFamilies();
  const { family } = schema.definitions.model.properties;
  // The sandbox belongs to the kernel, not to a capability.
  family.enum = ['sketch', ...Object.keys(families)];
  family['x-capabilities'] = families;
  const { workflows } = await built('libs/workflows/src/workflows.js');
  schema.definitions.workflow.enum = workflows.map(({ name }) => name);
  // Indented, as the formatter leaves it.
  return JSON.stringify(schema, null, 2);
}

/**
 * The entries of the page's examples, except packages of the operator's own, which cannot be tried elsewhere.
 */
function exampleOf() {
  const page = readFileSync(join(root, 'docs', 'engines.md'), 'utf8');
  const blocks = [...page.matchAll(/^```yaml\n(?:.*\n)*?models:\n((?:(?!```).*\n)*)```/gm)];
  const entries = blocks.flatMap(([, models]) => models.split(/^(?=  - id: )/m));
  const shown = entries.filter((entry) => !entry.includes('family: package'));
  return [
    '# yaml-language-server: $schema=./models.schema.json',
    '# The models that docs/engines.md explains, a family after the other. Copy what you have an account for, and look names and',
    '# prices up: vendors change them every few months. `npm run test:vendors` tries each whose key is in the environment.',
    'currency: USD',
    'models:',
    ...shown.map((entry) => entry.trimEnd()),
  ].join('\n');
}

/** The page with these words, each with its meaning, in the table whose first column has this title. */
function withTable(page, title, words) {
  const table = new RegExp(`^(\\| ${title} +\\|.*\\n\\|[ -|]+\\n)(?:\\|.*\\n)+`, 'm');
  if (!table.test(page)) throw new Error(`there is no table of ${title}s`);
  const rows = Object.entries(words).map(([word, meaning]) => `| \`${word}\` | ${meaning} |\n`);
  return page.replace(table, (_, head) => head + rows.join(''));
}

async function vocabularyOf(page) {
  const { explained } = await built('apps/api/src/http/vocabulary.js');
  const { StageName, ArtifactKind, MetaKey } = explained;
  return [
    ['stage', StageName],
    ['kind', ArtifactKind],
    ['key', MetaKey],
  ].reduce((text, [title, words]) => withTable(text, title, words), page);
}

async function personalFieldsIn(page) {
  const { eventFamilies } = await built('libs/domain/src/event-families.js');
  const { personalPaths } = await built('libs/domain/src/personal-paths.js');
  const rows = eventFamilies
    .flatMap(({ personal }) => Object.entries(personal))
    .map(([type, fields]) => [type, personalPaths(fields).map((path) => `\`${path}\``)])
    .filter(([, paths]) => paths.length > 0)
    .map(([type, paths]) => [type, paths.join(', ')]);
  return withTable(page, 'event', Object.fromEntries(rows));
}

await writeOrCheck('assets/models.schema.json', schemaOf);
await writeOrCheck('assets/models.example.yaml', exampleOf);
await writeOrCheck('docs/guides/vocabulary.md', vocabularyOf);
await writeOrCheck('docs/privacy.md', personalFieldsIn);
await writeOrCheck('docs/engines.md', (page) => withTable(page, 'task', briefTasks));

async function writeOrCheck(path, make) {
  const file = join(root, path);
  const before = readFileSync(file, 'utf8');
  const after = await format(await make(before), { ...(await resolveConfig(file)), filepath: file });
  if (after === before) return;
  if (!check) return writeFileSync(file, after);
  console.error(`${path} is old: npm run generate writes it`);
  process.exitCode = 1;
}
