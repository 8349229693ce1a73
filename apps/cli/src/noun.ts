import type { Command } from 'commander';

/** What the first word of the command names: all that concerns one thing, or one verb that stands alone. */
export interface Noun {
  readonly about: string;
  /** The modules that declare its calls. Each call is a verb. */
  readonly calls?: readonly (() => Promise<object>)[];
  /** Adds its verbs that are no calls: they need the machine on which they are typed. */
  readonly add?: (noun: Command) => void;
}
