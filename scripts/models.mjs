/*
 * Writes the parts of `assets` that concern families of image models, or checks that they are up to date
 * (--check). These are the names of families in the schema, each with the capability that declares it, and the
 * example, which has the models of docs/engines.md. The script reads the folders of all capabilities, so it
 * also names the families of those that are not installed.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const check = process.argv.includes('--check');

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

await writeOrCheck('assets/models.schema.json', schemaOf);
await writeOrCheck('assets/models.example.yaml', exampleOf);

async function writeOrCheck(path, make) {
  const file = join(root, path);
  const before = readFileSync(file, 'utf8');
  const { format, resolveConfig } = await import('prettier');
  const after = await format(await make(before), { ...(await resolveConfig(file)), filepath: file });
  if (after === before) return;
  if (!check) return writeFileSync(file, after);
  console.error(`${path} is old: npm run generate writes it`);
  process.exitCode = 1;
}
