import { hasChecksum, hashApiKey, withSecret } from '#application/key/api-key.js';

const nameForm = '[a-z0-9][a-z0-9._@+-]{0,63}';
/** Names are part of streams, tokens and paths: a name is an account name or an email address. */
export const operatorNamePattern = new RegExp(`^${nameForm}$`);

const pattern = new RegExp(`^op_(${nameForm})_[0-9A-HJKMNP-TV-Z]{39}$`);

/**
 * `op_{name}_{secret}{checksum}`. The token names its operator, whose stream it is compared with, as an API key
 * names its own stream.
 */
export function generateOperatorToken(name: string): string {
  return withSecret(`op_${name}_`);
}

/** The name that a token gives; undefined if the token is malformed. */
export function nameInToken(token: string): string | undefined {
  const name = pattern.exec(token)?.[1];
  return name !== undefined && hasChecksum(token) ? name : undefined;
}

export const hashOperatorToken = hashApiKey;
