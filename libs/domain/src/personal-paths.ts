import type { PersonalFields } from './event-family.js';

/** The paths of the personal fields, for example `['name', 'inputs.sha256']`. The items of a list have no step of their own. */
export function personalPaths(fields: PersonalFields): string[] {
  return Object.entries(fields).flatMap(([name, answer]) => {
    if (typeof answer === 'boolean') return answer ? [name] : [];
    return personalPaths(answer).map((path) => `${name}.${path}`);
  });
}
