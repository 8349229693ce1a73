import type { Command } from 'commander';

/** What the first word of the command names: all that concerns one thing, or one verb that stands alone. */
export interface Noun {
  /** Absent: another capability has it, and this one adds to it. */
  readonly about?: string;
  /**
   * What declares its calls, by file: openapi-admin.json describes answers as that file is typed. Each call is a verb. A file
   * may declare calls of several nouns.
   */
  readonly calls: Readonly<Record<`capabilities/${string}.ts`, () => Promise<object>>>;
  /** Adds its verbs that are no calls: they need the machine on which they are typed. */
  readonly verbs?: () => Promise<(noun: Command) => void>;
}
