/** The persons whom a thing is about. */
export interface AboutPersons {
  /** The tenant's own names for them, each once. Absent: no person is named. */
  dataSubjects?: string[];
}

/** The longest name of a person, in characters. */
export const longestDataSubject = 128;

/** Each name once, in the order of first mention. Without a name it is empty, so it adds nothing to an event. */
export function aboutPersons(...named: readonly (readonly string[] | undefined)[]): AboutPersons {
  const names = new Set(named.flatMap((each) => each ?? []));
  return names.size === 0 ? {} : { dataSubjects: [...names] };
}
