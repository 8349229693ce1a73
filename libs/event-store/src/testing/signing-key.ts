/** Of every process of a test, in place of the one that an operator makes: what one writes, the others believe. */
export const testSigningKey = 'a signing key of tests that is long enough';

/** For `openEventStore`. */
export const testProof = { signingKey: testSigningKey };
