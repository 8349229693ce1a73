import { vendorFamilies } from '../../vendors.families.js';
import type { TestedFamily } from './tested-family.js';

/** The families of vendors. The family of packages has a spec of its own. */
const names = Object.keys(vendorFamilies).filter((name) => name !== 'package');

/** The file of each declared family. A family without a file fails every spec that uses these. */
const files = await Promise.all(
  names.map(async (name) => {
    // The name gives the file, so that a new family is in all specs without a line in a list.
    const { family } = (await import(`../families/${name}.ts`)) as { family: TestedFamily };
    return [name, family] as const;
  }),
);

export const testedFamilies: Readonly<Record<string, TestedFamily>> = Object.fromEntries(files);

export function testedFamily(name: string): TestedFamily {
  const family = testedFamilies[name];
  if (!family) throw new Error(`${name} is no declared family`);
  return family;
}
