import type { Configuration } from '#platform/configuration.js';

/** Signs with the private key of this installation. */
export interface StatementSigner {
  /** The public half of the key, as `atelier seal key` prints it. */
  readonly publicKey: string;
  /** The signature over the text as UTF-8, in base64url. */
  sign(text: string): string;
}

export interface SignsStatements {
  /** Undefined: this process has no key. */
  signerOf(configuration: Configuration): StatementSigner | undefined;
  /** Also false if the key or the signature is malformed. */
  isSigned(publicKey: string, text: string, signature: string): boolean;
  /** Reads a public key, given as text or as the name of a file. @throws CallRefused */
  readPublicKey(given: string): string;
}
