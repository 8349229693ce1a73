import { readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import ts from 'typescript';

/** Aliases that are no libraries. */
const folderOf = {
  projections: 'projections/src',
  capabilities: 'capabilities',
  api: 'apps/api/src',
};

/** Programs that the specs' support starts by the name of a role. */
const roles = [
  ...['api', 'projector', 'standalone', 'worker'].map((role) => `apps/${role}/src/main.ts`),
  'capabilities/operate/main.ts',
];

/**
 * Files that each file imports, by the aliases of package.json and by relative paths, and programs that it starts from
 * their builds.
 */
function importsOf(root, file) {
  const text = readFileSync(join(root, file), 'utf8');
  const { importedFiles } = ts.preProcessFile(text, true, true);
  const started = file.includes('test/') ? text.matchAll(/\bdist\/([\w/-]+)\.js\b/g) : [];
  const programs = [...started].map(([, path]) => `${path}.ts`);
  if (file === 'test/standalone/support/atelier.ts') programs.push(...roles);
  const imported = importedFiles.flatMap(({ fileName }) => {
    const name = fileName.replace(/\.js$/, '.ts');
    if (name.startsWith('.')) return [normalize(join(dirname(file), name))];
    const [, library, path] = /^#([\w-]+)\/(.*)$/.exec(name) ?? [];
    if (!library) return [];
    return [`${folderOf[library] ?? `libs/${library}/src`}/${path}`];
  });
  return [...imported, ...programs];
}

const spec = /\.(?:int-|e2e-)?spec\.ts$/;
/** Minutes each, and what they see is seen by others. */
const tooLong =
  /planted-bugs|simulation\/main|test\/(?:crash|bench|deploy|console|journeys|standalone|fuzz)\/|eventstoredb\/(?:journeys|consumer-lag)/;

const wordsOf = (file) => basename(file).split('.')[0].split('-');

/** The specs that import a file, directly or not; the nearest first, by imports and by names of folders and files. */
export function specsByFile(root, files) {
  const importers = new Map();
  for (const file of files)
    for (const imported of importsOf(root, file)) {
      if (!importers.has(imported)) importers.set(imported, []);
      importers.get(imported).push(file);
    }
  return (mutated) => {
    const distances = new Map([[mutated, 0]]);
    for (const [file, distance] of distances)
      for (const importer of importers.get(file) ?? [])
        if (!distances.has(importer)) distances.set(importer, distance + 1);
    const found = [...distances].filter(([file]) => spec.test(file) && !tooLong.test(file));
    const folders = mutated.split('/').filter((part) => !['libs', 'src', 'test'].includes(part));
    const words = wordsOf(mutated);
    const shared = (file) =>
      folders.filter((part) => file.includes(`${part}/`)).length +
      wordsOf(file).filter((word) => words.includes(word)).length;
    const distance = ([file, imports]) => imports - 2 * shared(file);
    const nearest = (kind, most = Infinity) =>
      found
        .filter((found) => kind.test(found[0]) && distance(found) <= most)
        .sort((one, other) => distance(one) - distance(other))
        .map(([file]) => file);
    return {
      // One that is far away says nothing that the others do not say.
      pure: nearest(/^(?!test\/simulation).*(?<!int-|e2e-)spec\.ts$/, 2),
      stored: nearest(/int-spec\.ts$/),
      whole: nearest(/e2e-spec\.ts$|^test\/simulation/),
    };
  };
}
