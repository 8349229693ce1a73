import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The path of a file or folder of the package, such as `assets/presets`. Sources and built files lie at
 * different depths. So the search goes up to the first folder with a package.json.
 */
export function packagePath(...parts: string[]): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`no package.json above ${import.meta.dirname}`);
    folder = parent;
  }
  return join(folder, ...parts);
}

/** The release of this package. */
export function versionOfThis(): string {
  const { version } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8')) as { version: string };
  return version;
}
