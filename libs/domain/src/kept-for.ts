/** For how long a caller wants one thing to be kept. The tenant's rule may end it sooner. */
export interface KeptFor {
  /** Days from when it is stored, or of a job from its end. Absent: as the rule says. */
  retainDays?: number;
}

/** The longest time, in days. */
export const longestRetentionDays = 3_650;

/** The shortest of the times that are given. Without one it is empty, so it adds nothing to an event. */
export function keptFor(...given: readonly (number | undefined)[]): KeptFor {
  const days = given.filter((each) => each !== undefined);
  return days.length === 0 ? {} : { retainDays: Math.min(...days) };
}
