import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { CallRefused } from '#operator-calls/call-refused.js';
import { printJson, printLine, printProperties } from '#operator-calls/output.js';
import { readText } from '#operator-calls/read-text.js';
import type { OutputOptions } from '#operator-calls/verb.js';
import { systemClock } from '#platform/clock.js';
import { messageOf } from '#platform/errors.js';
import { checkSeal, type CheckedSeal } from './claimed-seal.js';
import { readAuthorities, readSigningCertificate } from './provenance.key.js';
import { readCredentials, type Credentials } from './read-credentials.js';
import { judgeTime, type JudgedTime } from './time-stamped.js';

interface ShowOptions extends OutputOptions {
  readonly tsaCertificate?: string;
}

export async function showProvenance(file: string, { json, tsaCertificate }: ShowOptions): Promise<void> {
  const read = await judgedIn(file, tsaCertificate);
  if (json) printJson(asJson(read));
  else printCredentials(read);
}

interface VerifyOptions extends ShowOptions {
  readonly certificate?: string;
  readonly sealKey?: string;
  readonly proof?: string;
}

/** The exit code is 1 unless the picture is what was signed, and all else holds that the options ask for. */
export async function verifyProvenance(
  file: string,
  { json, certificate, tsaCertificate, sealKey, proof }: VerifyOptions,
): Promise<void> {
  const read = await judgedIn(file, tsaCertificate);
  const { credentials, timeStamp } = read;
  if (credentials.problems.length > 0)
    throw new CallRefused(`${file} is not what was signed: ${credentials.problems.join(', ')}`);
  const expected =
    certificate === undefined ? undefined : inFile(certificate, readSigningCertificate).fingerprint;
  if (expected !== undefined && credentials.signedBy?.fingerprint !== expected)
    throw new CallRefused(
      `${file} was signed by another certificate: ${credentials.signedBy?.subject}, ${credentials.signedBy?.fingerprint}`,
    );
  if (tsaCertificate !== undefined && timeStamp?.status !== 'timeStamp.trusted')
    throw new CallRefused(
      timeStamp
        ? `the time-stamp of ${file} is not trusted: ${timeStamp.status}, signed by ${plain(timeStamp.authority ?? 'unknown')}`
        : `${file} has no time-stamp`,
    );
  const seal = await sealOf(credentials, sealKey, proof);
  if (json) printJson({ verified: true, ...(seal && { seal }), ...asJson(read) });
  else {
    printLine('Verified: the picture is what was signed.');
    if (seal?.state === 'proven') printLine(`Proven: seal ${seal.number} covers its order.`);
    if (seal?.state === 'claimed')
      printLine(
        `Claimed, not proven: seal ${seal.number} of this key covers its order. Add --proof to prove it.`,
      );
    printCredentials(read);
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

interface Judged extends JudgedTime {
  readonly sha256: string;
  readonly credentials: Credentials;
}

/** @param authorities the file of their certificates. @throws CallRefused */
async function judgedIn(file: string, authorities: string | undefined): Promise<Judged> {
  const trusted = authorities === undefined ? [] : inFile(authorities, readAuthorities);
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new CallRefused(`${file} cannot be read: ${messageOf(error)}`);
  }
  const credentials = readCredentials(bytes);
  if (!credentials)
    throw new CallRefused(`${file} has no Content Credentials, or is no JPEG, PNG, WebP or AVIF`);
  const time = await judgeTime(credentials, trusted, systemClock());
  return { sha256: hash('sha256', bytes), credentials, ...time };
}

/** @throws CallRefused */
function inFile<T>(file: string, read: (text: string) => T): T {
  try {
    return read(readText(file));
  } catch (error) {
    throw error instanceof CallRefused ? error : new CallRefused(`${file}: ${messageOf(error)}`);
  }
}

function asJson({ sha256, credentials, timeStamp, expired }: Judged) {
  const { store: _, stamp: __, signedBy, ...said } = credentials;
  const { notBefore: ___, ...signer } = signedBy ?? {};
  return {
    sha256,
    valid: said.problems.length === 0,
    signed_by: signedBy && { ...signer, expired },
    time_stamp: timeStamp,
    ...said,
  };
}

function printCredentials({ sha256, credentials, timeStamp, expired }: Judged): void {
  const { problems, signedBy, generator, actions, ingredients, order } = credentials;
  printProperties([
    ['state', problems.length === 0 ? 'valid' : `not what was signed: ${problems.join(', ')}`],
    ['sha256', sha256],
    ['made with', plain(generator ?? 'unknown')],
    [
      'signed by',
      signedBy
        ? `${plain(signedBy.subject)}, until ${signedBy.notAfter.toISOString()}${expired ? ' (expired)' : ''}`
        : 'unknown',
    ],
    ['certificate', signedBy?.fingerprint ?? 'unknown'],
    ['time-stamp', timeStamp ? stampLine(timeStamp) : 'none'],
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

function stampLine({ status, time, authority }: NonNullable<Judged['timeStamp']>): string {
  const judged = {
    'timeStamp.trusted': 'trusted',
    'timeStamp.untrusted': 'whole, but its authority is not trusted here',
    'timeStamp.mismatch': 'NOT about this signature, or not whole',
    'timeStamp.outsideValidity': 'NOT in the time of its certificate',
    'timeStamp.malformed': 'cannot be read',
  }[status];
  return [time?.toISOString(), authority && plain(authority), judged].filter(Boolean).join(', ');
}

/** One line for each value. Another program may have written an order in any form. */
function linesOf(value: unknown, name = ''): (readonly [string, string])[] {
  if (typeof value !== 'object' || value === null) return [[plain(name.trim()), plain(value)]];
  return Object.entries(value).flatMap(([member, of]) => linesOf(of, `${name} ${member.replace('_', ' ')}`));
}

/** The signer chose these texts. Characters that move the cursor are replaced, and the text is cut to a few lines. */
const plain = (text: unknown): string => String(text).replaceAll(/\p{C}/gu, '?').slice(0, 300);
