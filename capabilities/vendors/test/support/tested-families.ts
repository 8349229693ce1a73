import { vendorFamilies } from '../../vendors.families.js';
import type { TestedFamily } from './tested-family.js';

/** The families of vendors: a package has a spec of its own. */
const names = Object.keys(vendorFamilies).filter((name) => name !== 'package');

/** The file of each declared family. A family without one fails every spec that takes them. */
const files = await Promise.all(
  names.map(async (name) => {
    // By its name, so that a new family is in all specs without a line in a list.
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
