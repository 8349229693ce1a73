import type { SignsStatements } from '#operator-calls/signs-statements.js';
import { publicKeyFrom } from './keys-and-proofs.js';
import { isSealedBy } from './seal.key.js';

/** Signs statements with the key that seals. A text begins with its own name, so that none passes for another. */
export const signsStatements: SignsStatements = {
  signerOf: ({ sealing }) => sealing.key,
  isSigned: isSealedBy,
  readPublicKey: publicKeyFrom,
};
