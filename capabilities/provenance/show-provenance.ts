import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { CallRefused } from '#operator-calls/call-refused.js';
import { printJson, printLine, printProperties } from '#operator-calls/output.js';
import { readText } from '#operator-calls/read-text.js';
import type { OutputOptions } from '#operator-calls/verb.js';
import { messageOf } from '#platform/errors.js';
import { checkSeal, type CheckedSeal } from './claimed-seal.js';
import { readSigningCertificate } from './provenance.key.js';
import { readCredentials, type Credentials } from './read-credentials.js';

export function showProvenance(file: string, { json }: OutputOptions): Promise<void> {
  const { sha256, credentials } = read(file);
  if (json) printJson(asJson(sha256, credentials));
  else printCredentials(sha256, credentials);
  return Promise.resolve();
}

interface VerifyOptions extends OutputOptions {
  readonly certificate?: string;
  readonly sealKey?: string;
  readonly proof?: string;
}

/** The exit code is 1 unless the picture is what was signed, and all else holds that the options ask for. */
export async function verifyProvenance(
  file: string,
  { json, certificate, sealKey, proof }: VerifyOptions,
): Promise<void> {
  const { sha256, credentials } = read(file);
  if (credentials.problems.length > 0)
    throw new CallRefused(`${file} is not what was signed: ${credentials.problems.join(', ')}`);
  const expected = certificate === undefined ? undefined : fingerprintIn(certificate);
  if (expected !== undefined && credentials.signedBy?.fingerprint !== expected)
    throw new CallRefused(
      `${file} was signed by another certificate: ${credentials.signedBy?.subject}, ${credentials.signedBy?.fingerprint}`,
    );
  const seal = await sealOf(credentials, sealKey, proof);
  if (json) printJson({ verified: true, ...(seal && { seal }), ...asJson(sha256, credentials) });
  else {
    printLine('Verified: the picture is what was signed.');
    if (seal?.state === 'proven') printLine(`Proven: seal ${seal.number} covers its order.`);
    if (seal?.state === 'claimed')
      printLine(
        `Claimed, not proven: seal ${seal.number} of this key covers its order. Add --proof to prove it.`,
      );
    printCredentials(sha256, credentials);
  }
}

async function sealOf(
  { order }: Credentials,
  key: string | undefined,
  proof: string | undefined,
): Promise<CheckedSeal | undefined> {
  if (key === undefined && proof !== undefined)
    throw new CallRefused('--proof needs --seal-key, the public key that the proof must have');
  if (key === undefined) return undefined;
  if (!order) throw new CallRefused('the picture names no order of Atelier, so no seal covers it');
  return checkSeal(order, key, proof);
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
    ['made with', plain(generator ?? 'unknown')],
    [
      'signed by',
      signedBy ? `${plain(signedBy.subject)}, until ${signedBy.notAfter.toISOString()}` : 'unknown',
    ],
    ['certificate', signedBy?.fingerprint ?? 'unknown'],
    ...actions.map(
      ({ action, digitalSourceType }) => [plain(action), plain(digitalSourceType ?? '')] as const,
    ),
    ...ingredients.map(({ title, relationship, hasManifest }) => {
      const own = hasManifest ? ', with its own credentials' : '';
      return [plain(relationship ?? 'ingredient'), `${plain(title ?? 'unnamed')}${own}`] as const;
    }),
  ]);
  if (!order) return;
  printLine();
  printProperties(linesOf(order));
}

/** One line for each value. Another program may have written an order in any form. */
function linesOf(value: unknown, name = ''): (readonly [string, string])[] {
  if (typeof value !== 'object' || value === null) return [[plain(name.trim()), plain(value)]];
  return Object.entries(value).flatMap(([member, of]) => linesOf(of, `${name} ${member.replace('_', ' ')}`));
}

/** The signer chose these texts. Characters that move the cursor are replaced, and the text is cut to a few lines. */
const plain = (text: unknown): string => String(text).replaceAll(/\p{C}/gu, '?').slice(0, 300);
