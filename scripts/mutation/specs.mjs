import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';

/** Aliases that are no libraries. */
const folderOf = {
  projections: 'projections/src',
  capabilities: 'capabilities',
  api: 'apps/api/src',
};

/** Files that each file imports, by the aliases of package.json and by relative paths. */
function importsOf(root, file) {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(root, file), 'utf8'), true, true);
  return importedFiles.flatMap(({ fileName }) => {
    const name = fileName.replace(/\.js$/, '.ts');
    if (name.startsWith('.')) return [normalize(join(dirname(file), name))];
    const [, library, path] = /^#([\w-]+)\/(.*)$/.exec(name) ?? [];
    if (!library) return [];
    return [`${folderOf[library] ?? `libs/${library}/src`}/${path}`];
  });
}

const spec = /\.(?:int-|e2e-)?spec\.ts$/;
/** Minutes each, and what they see is seen by others. */
const tooLong =
  /planted-bugs|simulation\/main|test\/(?:crash|bench|deploy|console|journeys|standalone|fuzz)\/|eventstoredb\/(?:journeys|consumer-lag)/;

/** The specs that import a file, directly or not; the nearest first, by imports and by folders of the same name. */
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
    const shared = (file) => folders.filter((part) => file.includes(`${part}/`)).length;
    const distance = ([file, imports]) => imports - 2 * shared(file);
    const nearest = (kind) =>
      found
        .filter(([file]) => kind.test(file))
        .sort((one, other) => distance(one) - distance(other))
        .map(([file]) => file);
    return {
      pure: nearest(/^(?!test\/simulation).*(?<!int-|e2e-)spec\.ts$/),
      stored: nearest(/int-spec\.ts$/),
      whole: nearest(/e2e-spec\.ts$|^test\/simulation/),
    };
  };
}
