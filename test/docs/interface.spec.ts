import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** Short names of the page and the folders that they stand for, as the page defines them. */
const roots: readonly (readonly [short: string, long: string])[] = [
  ['api/', 'apps/api/src/'],
  ['app/', 'libs/application/src/'],
  ['domain/', 'libs/domain/src/'],
  ['sketch/', 'packages/sketch/src/'],
  ['workflows/', 'libs/workflows/src/'],
  ['projections/', 'projections/src/'],
];

/** The page may name a file without its ending, a folder by its path, and a test by its path under `test/`. */
function isThere(name: string): boolean {
  const places = roots
    .filter(([short]) => name.startsWith(short))
    .map(([short, long]) => long + name.slice(short.length));
  return [name, `test/${name}`, ...places].some(
    (path) => globSync([path, `${path}.*`, `${path}*`]).length > 0,
  );
}

describe('docs/interface.md', () => {
  it('names only files and tests that are there', () => {
    const rows = readFileSync('docs/interface.md', 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('|'));
    const named = rows.flatMap((row) => {
      const [, , enforced = '', shown = ''] = row.split('|').slice(0);
      return [...`${enforced} ${shown}`.matchAll(/`([\w.*-]+\/[\w./*-]*)`/g)].map(([, name = '']) => name);
    });
    expect(named.length).toBeGreaterThan(80);
    expect(named.filter((name) => !isThere(name))).toEqual([]);
  });
});
