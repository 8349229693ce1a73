/**
 * All processes of a test use this key, so that they accept each other's events. In production an operator
 * makes the key.
 */
export const testSigningKey = 'a signing key of tests that is long enough';

/** Wraps the keys of personal words. */
export const testMasterKey = 'a master key of tests that is long enough';

/** For `openEventStore`. */
export const testProof = { signingKey: testSigningKey };

/** For `openEventStore`: reads and writes events as the roles of a test do. */
export const testKeys = { proof: testProof, words: { masterKey: testMasterKey } };
