import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readJson, writePrivateJson } from './private-files.js';

/** What `npm start` makes for an installation of its own, once: the same ever after. */
export interface HomeSecrets {
  /** Signs the URLs of pictures. */
  readonly urlSigningSecret: string;
  /** What the signing secrets of API keys derive from. */
  readonly signingKey: string;
}

function fileOf(home: string): string {
  return join(home, 'secrets.json');
}

/** The secrets of a home; those that an earlier release did not know are made now. */
export function provideHomeSecrets(home: string): HomeSecrets {
  const stored = (readJson(fileOf(home)) ?? {}) as Partial<HomeSecrets>;
  const secrets: HomeSecrets = {
    ...stored,
    urlSigningSecret: stored.urlSigningSecret ?? newSecret(),
    signingKey: stored.signingKey ?? newSecret(),
  };
  if (stored.urlSigningSecret === undefined || stored.signingKey === undefined) {
    writePrivateJson(fileOf(home), secrets);
  }
  return secrets;
}

/** The secrets as far as the home has them; nothing is made. */
export function readHomeSecrets(home: string): Partial<HomeSecrets> {
  return readJson(fileOf(home)) ?? {};
}

function newSecret(): string {
  return randomBytes(32).toString('base64url');
}
