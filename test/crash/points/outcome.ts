import type { Answer } from './client.js';

/** How a scenario went for its client, and the result that it must have. */
export interface Outcome {
  /** Everything that was answered with success. */
  readonly answered: readonly Answer[];
  /** True if the client repeats until it is answered: then there is one job, and one charge kept for it. */
  readonly persistent: boolean;
  /** The end that the dispatched job must have, if there is one. */
  readonly ends: 'JobSucceeded' | 'JobFailed' | 'JobCancelled' | 'JobVoided';
  /** Words of things that must be erased by now. */
  readonly erasedWords?: string;
  /** The tenant is closed: nothing of it is left, and its keys are revoked. */
  readonly closed?: true;
}
