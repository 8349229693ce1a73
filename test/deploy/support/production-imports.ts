import { existsSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { root } from './compose-file.js';

const specifiers =
  /(?:^|[;\s}])(?:import|export)\s*(?:[^'";()]*?\sfrom\s*)?['"]([^'"\s]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/g;
const libraries = /^#([a-z-]+)\/(.+)$/;
const { imports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  imports: Readonly<Record<string, { readonly default: string }>>;
};
const workspaces = /^@atelier\/([a-z-]+)(\/.+)?$/;

export interface Imports {
  /** Files of the build that may be loaded, relative to the repository. */
  readonly files: ReadonlySet<string>;
  /** Packages by name, with one of the files that loads them. */
  readonly packages: ReadonlyMap<string, string>;
}

/** Follows the imports of the built programs from file to file. A file that no import names is not found. */
export function importsOf(programs: readonly string[]): Imports {
  const files = new Set<string>();
  const packages = new Map<string, string>();
  const visit = (file: string): void => {
    const name = relative(root, file);
    if (files.has(name)) return;
    if (!existsSync(file)) throw new Error(`${name} is not there: run npm run build`);
    files.add(name);
    for (const [, stated, dynamic] of readFileSync(file, 'utf8').matchAll(specifiers)) {
      const specifier = stated ?? dynamic ?? '';
      const target = ownFile(file, specifier);
      if (target) visit(target);
      else if (!specifier.startsWith('node:') && !builtinModules.includes(specifier))
        packages.set(packageName(specifier), name);
    }
  };
  for (const program of programs) visit(join(root, program));
  return { files, packages };
}

function ownFile(from: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return resolve(dirname(from), specifier);
  const [, workspace, subpath = ''] = workspaces.exec(specifier) ?? [];
  if (workspace) {
    const { [`.${subpath}`]: exact, './*': any } = exportsOf(workspace);
    const target = exact?.default ?? any?.default.replace('*', subpath.slice(1)) ?? '';
    return join(root, 'packages', workspace, target);
  }
  const [, library = '', path = ''] = libraries.exec(specifier) ?? [];
  return library ? join(root, imports[`#${library}/*`]?.default.replace('*', path) ?? '') : undefined;
}

function exportsOf(workspace: string): Readonly<Record<string, { readonly default: string }>> {
  const manifest = readFileSync(join(root, 'packages', workspace, 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { exports: Record<string, { default: string }> }).exports;
}

function packageName(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}
