/** A secret in a file of its own. `npm start` makes it once, and every process of its home reads it. */
export interface SecretFile {
  /** The secret's setting: `{setting}_FILE` names the file. */
  readonly setting: string;
  /** Its name in the home. */
  readonly file: string;
  readonly make: () => Promise<string>;
  /** For the person at the terminal, once the file is made. */
  readonly note?: string;
}
