import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { secretFiles } from '#capabilities/parts.js';
import { errorCode } from './errors.js';
import { isRunning, type ProcessIdentity } from './processes.js';

/**
 * Writes JSON that only this user may read. Readers see either the old content or the new one, never a part.
 */
export function writePrivateJson(path: string, content: unknown): void {
  writePrivately(path, `${JSON.stringify(content, null, 2)}\n`);
}

function writePrivately(path: string, text: string): void {
  const draft = `${path}.${randomBytes(6).toString('hex')}.draft`;
  try {
    writeFileSync(draft, text, { mode: 0o600, flush: true });
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The content, or undefined when there is no such file. @throws SyntaxError when it is not JSON */
export function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The secrets that `npm start` makes once for its own installation, and then keeps. */
export interface HomeSecrets {
  /** Signs the URLs of pictures. */
  readonly urlSigningSecret: string;
  /** The MACs of events and the signing secrets of API keys derive from it. */
  readonly signingKey: string;
  /** Wraps the keys of the personal words in events. */
  readonly masterKey: string;
  /**
   * Whether every event of the log must prove its writer. True if the log's history was adopted, or began with
   * this release.
   */
  readonly provesWriters?: boolean;
}

function secretsFileOf(home: string): string {
  return join(home, 'secrets.json');
}

/** The secrets of a home. Makes the ones that an earlier release did not have. */
export function provideHomeSecrets(home: string): HomeSecrets {
  const stored = (readJson(secretsFileOf(home)) ?? {}) as Partial<HomeSecrets>;
  const secrets: HomeSecrets = {
    ...stored,
    urlSigningSecret: stored.urlSigningSecret ?? newSecret(),
    signingKey: stored.signingKey ?? newSecret(),
    masterKey: stored.masterKey ?? newSecret(),
  };
  const { urlSigningSecret, signingKey, masterKey } = stored;
  if ([urlSigningSecret, signingKey, masterKey].includes(undefined))
    writePrivateJson(secretsFileOf(home), secrets);
  return secrets;
}

/** From now on no event in the log of this home counts without proof, even if another log replaces it. */
export function rememberProof(home: string): void {
  writePrivateJson(secretsFileOf(home), { ...provideHomeSecrets(home), provesWriters: true });
}

/** The secrets that the home has; it makes none. */
export function readHomeSecrets(home: string): Partial<HomeSecrets> {
  return readJson(secretsFileOf(home)) ?? {};
}

/** The configuration with the home's secrets in place of those that it lacks. */
export function withHomeSecrets<
  Given extends { readonly signingKey: string | undefined; readonly masterKey: string | undefined },
>(configuration: Given, secrets: Partial<HomeSecrets>): Given {
  const { signingKey = secrets.signingKey, masterKey = secrets.masterKey } = configuration;
  return { ...configuration, signingKey, masterKey };
}

/**
 * The settings that name the files of capabilities. A file is made once, and never written again.
 * @param say gets the notes on the files that were made
 */
export async function provideSecretFiles(
  home: string,
  say: (note: string) => void,
): Promise<Record<string, string>> {
  for (const { file, make, note } of secretFiles) {
    if (existsSync(join(home, file))) continue;
    writePrivately(join(home, file), await make());
    if (note !== undefined) say(note);
  }
  return findSecretFiles(home);
}

/** The settings that name the secret files that exist. */
export function findSecretFiles(home: string): Record<string, string> {
  const named = secretFiles.map(({ setting, file }) => [`${setting}_FILE`, join(home, file)] as const);
  return Object.fromEntries(named.filter(([, path]) => existsSync(path)));
}

/** Where `npm start` keeps the token of its first operator. */
function operatorTokenFileOf(home: string): string {
  return join(home, 'operator-token');
}

/** Undefined where there is none yet, or it cannot be read. */
export function readOperatorToken(home: string): string | undefined {
  try {
    return readFileSync(operatorTokenFileOf(home), 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

/** A file that only this user may read. */
export function writeOperatorToken(home: string, token: string): void {
  writePrivately(operatorTokenFileOf(home), `${token}\n`);
}

function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Facts about a running `npm start`, for the operator's command. Private: the URLs hold a password. */
export interface Runtime {
  readonly process: ProcessIdentity;
  readonly baseUrl: string;
  readonly databaseUrl: string;
  readonly eventStoreUrl: string;
  /** The URL of the operator's API. Absent: the API is switched off. */
  readonly adminUrl?: string;
}

function runtimeFileOf(home: string): string {
  return join(home, 'runtime.json');
}

export function writeRuntime(home: string, runtime: Runtime): void {
  writePrivateJson(runtimeFileOf(home), runtime);
}

export function removeRuntime(home: string): void {
  rmSync(runtimeFileOf(home), { force: true });
}

/** Undefined if no process runs on this home, also if a killed process left the file behind. */
export function readRuntime(home: string): Runtime | undefined {
  // Only `writeRuntime` writes the file, and it never leaves half of one.
  const runtime = readJson(runtimeFileOf(home)) as Runtime | undefined;
  return runtime && isRunning(runtime.process) ? runtime : undefined;
}
