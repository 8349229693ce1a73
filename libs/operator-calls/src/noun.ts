import type { Command } from 'commander';

/** The first word of the command: a thing with its verbs, or one verb that stands alone. */
export interface Noun {
  /** Absent: another capability declares this noun, and this one adds verbs to it. */
  readonly about?: string;
  /** The files that declare its calls. Each call is a verb. A file may declare calls of several nouns. */
  readonly calls: readonly (() => Promise<object>)[];
  /** Adds verbs that are not calls: they need the machine on which they are typed. */
  readonly verbs?: () => Promise<(noun: Command) => void>;
}
