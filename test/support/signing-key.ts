/**
 * All processes of a test use this key, so that they accept each other's events. In production an operator
 * makes the key.
 */
export const testSigningKey = 'a signing key of tests that is long enough';

/** For `openEventStore`. */
export const testProof = { signingKey: testSigningKey };
