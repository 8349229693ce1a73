/** What the first word of the command names: all that concerns one thing, or one verb that stands alone. */
export interface Noun {
  readonly about: string;
  /**
   * What declares its calls, by file: openapi-admin.json describes answers as that file is typed. Each call is a verb. A file
   * may declare calls of several nouns.
   */
  readonly calls: Readonly<Record<`capabilities/${string}.ts`, () => Promise<object>>>;
}
