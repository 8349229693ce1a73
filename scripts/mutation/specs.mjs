import { readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import ts from 'typescript';

/** Aliases that do not stand for libraries. */
const folderOf = {
  projections: 'projections/src',
  capabilities: 'capabilities',
  api: 'apps/api/src',
};

/** Programs that the support code of the specs starts by the name of a role. */
const roles = [
  ...['api', 'projector', 'standalone', 'worker'].map((role) => `apps/${role}/src/main.ts`),
  'capabilities/operate/main.ts',
];

/**
 * The files that a file imports, by the aliases of package.json or by relative paths, and the programs that it
 * starts from their builds.
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
/** These take minutes each, and other specs notice the same changes. */
const tooLong =
  /planted-bugs|simulation\/main|test\/(?:crash|bench|deploy|console|journeys|standalone|fuzz)\/|eventstoredb\/(?:journeys|consumer-lag)/;

const wordsOf = (file) => basename(file).split('.')[0].split('-');

/**
 * The specs that import a file, directly or indirectly. The nearest come first, by imports and by names of
 * folders and files.
 */
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
      // A distant spec adds nothing to the nearer ones.
      pure: nearest(/^(?!test\/simulation).*(?<!int-|e2e-)spec\.ts$/, 2),
      stored: nearest(/int-spec\.ts$/),
      whole: nearest(/e2e-spec\.ts$|^test\/simulation/),
    };
  };
}
