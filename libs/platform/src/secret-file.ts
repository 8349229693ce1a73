/** A secret that `npm start` makes once, in a file of its own, and that every process of its home reads. */
export interface SecretFile {
  /** The secret's setting: `{setting}_FILE` names the file. */
  readonly setting: string;
  /** Its name in the home. */
  readonly file: string;
  readonly make: () => Promise<string>;
}
