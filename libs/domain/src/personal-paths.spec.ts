import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { eventFamilies } from './event-families.js';
import { personalPaths } from './personal-paths.js';

it('names to the data protection officer exactly the fields that are encrypted', () => {
  const declared = eventFamilies
    .flatMap(({ personal }) => Object.entries(personal))
    .map(([type, fields]) => [type, personalPaths(fields)] as const)
    .filter(([, paths]) => paths.length > 0);
  const page = readFileSync('docs/privacy.md', 'utf8');
  const listed = [...page.matchAll(/^\| `(\w+)` +\| (`.+`) +\|$/gm)].map(
    ([, type, paths = '']) => [type, paths.split(', ').map((path) => path.replaceAll('`', ''))] as const,
  );
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(declared));
});
