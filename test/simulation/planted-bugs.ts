import { sound, type Wiring } from './wiring.js';

/** What is wrong with the wiring, by the name that `--bug` takes. */
export const bugs: Readonly<Record<string, Partial<Wiring>>> = {};

/** @throws RangeError for a name that is not in the list */
export function wiringOf(name: string): Wiring {
  const bug = bugs[name];
  if (!bug)
    throw new RangeError(`there is no planted bug ${name}; there are: ${Object.keys(bugs).join(', ')}`);
  return { ...sound, ...bug };
}
