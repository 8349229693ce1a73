/** Secrets that all processes of a simulated installation share. */
export const simulatedSecrets = {
  signingKey: 'a signing key of the simulation',
  acceptedSigningKeys: [],
  unprovenEvents: 'refuse',
} as const;
