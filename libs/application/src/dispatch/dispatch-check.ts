import type { Environment } from '#domain/environment.js';

/** What a dispatch wants to do with pictures of persons, or with what it says of them. */
export interface AskedOfCheck {
  readonly environment: Environment;
  readonly tenant: string;
  /** A name of the workflow table. For a batch: the workflow of its items. */
  readonly workflow: string;
  /** At least one. */
  readonly dataSubjects: readonly string[];
  readonly at: Date;
}

export interface CheckRefusal {
  readonly code: 'RELEASE_REQUIRED';
  /** For people: what is missing, that nothing was charged, and what to do. */
  readonly message: string;
}

export type CheckAnswer =
  /**
   * `permits` has one entry for each person, in their order: the capability's name for what allows the use, or
   * null. They are stored with the job. Absent: the capability has nothing to say.
   */
  | { readonly kind: 'allowed'; readonly permits?: readonly (string | null)[] }
  | { readonly kind: 'refused'; readonly refusal: CheckRefusal };

/**
 * Asked before each dispatch and dry run that is about persons; never about others. It should answer from memory,
 * because the dispatch waits for it.
 */
export abstract class DispatchCheck {
  /** @throws EventStoreUnavailable while it cannot know */
  abstract check(asked: AskedOfCheck): Promise<CheckAnswer>;
}
