import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { CallRefused } from '#operator-calls/call-refused.js';
import { printJson, printLine, printProperties } from '#operator-calls/output.js';
import { readText } from '#operator-calls/read-text.js';
import type { OutputOptions } from '#operator-calls/verb.js';
import { messageOf } from '#platform/errors.js';
import { readSigningCertificate } from './provenance.key.js';
import { readCredentials, type Credentials } from './read-credentials.js';

export function showProvenance(file: string, { json }: OutputOptions): Promise<void> {
  const { sha256, credentials } = read(file);
  if (json) printJson(asJson(sha256, credentials));
  else printCredentials(sha256, credentials);
  return Promise.resolve();
}

/** The exit code is 1 unless the picture is what was signed. */
export function verifyProvenance(
  file: string,
  { json, certificate }: OutputOptions & { readonly certificate?: string },
): Promise<void> {
  const { sha256, credentials } = read(file);
  if (credentials.problems.length > 0)
    throw new CallRefused(`${file} is not what was signed: ${credentials.problems.join(', ')}`);
  const expected = certificate === undefined ? undefined : fingerprintIn(certificate);
  if (expected !== undefined && credentials.signedBy?.fingerprint !== expected)
    throw new CallRefused(
      `${file} was signed by another certificate: ${credentials.signedBy?.subject}, ${credentials.signedBy?.fingerprint}`,
    );
  if (json) printJson({ verified: true, ...asJson(sha256, credentials) });
  else {
    printLine('Verified: the picture is what was signed.');
    printCredentials(sha256, credentials);
  }
  return Promise.resolve();
}

/** @throws CallRefused */
function read(file: string): { readonly sha256: string; readonly credentials: Credentials } {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new CallRefused(`${file} cannot be read: ${messageOf(error)}`);
  }
  const credentials = readCredentials(bytes);
  if (!credentials) throw new CallRefused(`${file} has no Content Credentials, or is no JPEG, PNG or WebP`);
  return { sha256: hash('sha256', bytes), credentials };
}

function fingerprintIn(file: string): string {
  try {
    return readSigningCertificate(readText(file)).fingerprint;
  } catch (error) {
    throw error instanceof CallRefused ? error : new CallRefused(`${file}: ${messageOf(error)}`);
  }
}

function asJson(sha256: string, { store: _, signedBy, ...credentials }: Credentials) {
  return { sha256, valid: credentials.problems.length === 0, signed_by: signedBy, ...credentials };
}

function printCredentials(sha256: string, credentials: Credentials): void {
  const { problems, signedBy, generator, actions, ingredients, order } = credentials;
  printProperties([
    ['state', problems.length === 0 ? 'valid' : `not what was signed: ${problems.join(', ')}`],
    ['sha256', sha256],
    ['made with', generator ?? 'unknown'],
    ['signed by', signedBy ? `${signedBy.subject}, until ${signedBy.notAfter.toISOString()}` : 'unknown'],
    ['certificate', signedBy?.fingerprint ?? 'unknown'],
    ...actions.map(({ action, digitalSourceType }) => [action, digitalSourceType ?? ''] as const),
    ...ingredients.map(({ title, relationship }) => [relationship ?? 'ingredient', title ?? ''] as const),
    ...(order ? [['order', JSON.stringify(order)] as const] : []),
  ]);
}
