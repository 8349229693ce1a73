/** Content Credentials (C2PA) in the bytes of an upload. */
export interface FoundCredentials {
  /** The manifest store. */
  readonly store: Buffer;
  /** C2PA's codes for what does not hold. */
  readonly problems: readonly string[];
}
