import { writeFileSync } from 'node:fs';
import { CallRefused } from '#operator-calls/call-refused.js';
import { findConfiguration } from '#operator-calls/find-configuration.js';
import { printJson, printLine, printProperties } from '#operator-calls/output.js';
import { readText } from '#operator-calls/read-text.js';
import type { OutputOptions } from '#operator-calls/verb.js';
import { messageOf } from '#platform/errors.js';
import type { ChecksProof, ProvenEvent } from '../capability.js';
import { parsed } from './kept-seals.js';
import { provenEvent, type InclusionProof } from './proof.js';
import { newSealKey, publicSealKeyPem, readPublicSealKey, readSealKey, type SealKey } from './seal.key.js';

/** Shows the public half, which checks seals and proofs and need not be kept secret. */
export function showSealKey({ json }: OutputOptions): Promise<void> {
  const { publicKey } = configuredKey();
  if (json) printJson({ public_key: publicKey, pem: publicSealKeyPem(publicKey) });
  else printLine(`${publicSealKeyPem(publicKey)}${publicKey}`);
  return Promise.resolve();
}

function configuredKey(): SealKey {
  const { key } = findConfiguration().sealing;
  if (key) return key;
  throw new CallRefused(
    'there is no seal key: set ATELIER_SEAL_KEY_FILE, as for the projector (docs/seals.md)',
  );
}

export interface RotateOptions extends OutputOptions {
  readonly output: string;
  readonly lost?: string;
}

/**
 * Makes a new key in a new file. The new key names the old one, and the old one signs the new one. It seals
 * nothing until a projector has it.
 */
export function rotateSealKey({ output, lost, json }: RotateOptions): Promise<void> {
  const text = newSealKey(lost === undefined ? configuredKey() : publicKeyFrom(lost));
  try {
    writeFileSync(output, text, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw new CallRefused(`${output} cannot be made: ${messageOf(error)}`);
  }
  const { publicKey } = readSealKey(text);
  if (json) printJson({ file: output, public_key: publicKey });
  else {
    printLine(`${output} holds the private key; its public half is ${publicKey}`);
    printLine('Set ATELIER_SEAL_KEY_FILE to this file for every projector, and start them again.');
  }
  return Promise.resolve();
}

/** Needs no service. The exit code is 1 unless the proof holds. */
export function verifyProof(
  file: string,
  { key, json }: OutputOptions & { readonly key: string },
): Promise<void> {
  const publicKey = publicKeyFrom(key);
  const proof = parsed(readText(file), file) as InclusionProof;
  const event = provenBy(proof, publicKey);
  if (!event)
    throw new CallRefused(
      `${file} proves nothing: its event, path, seal and signature do not fit ${publicKey}`,
    );
  const [stream, revision, id, type, data, metadata] = event;
  const { chain, number, sealedAt } = proof.seal;
  if (json)
    printJson({ proven: true, chain, seal: number, sealedAt, stream, revision, id, type, data, metadata });
  else {
    printLine('Proven: this event was in the log when it was sealed, and has not been altered.');
    printProperties([
      ['event', `${String(type)}, ${String(stream)} revision ${String(revision)}`],
      ['data', JSON.stringify(data)],
      ['metadata', JSON.stringify(metadata)],
      ['seal', `${number} of chain ${chain}, at ${sealedAt}`],
      ['key', publicKey],
    ]);
  }
  return Promise.resolve();
}

/** For other capabilities, which do not know the form of a proof. */
export const proofs: ChecksProof = { publicKeyFrom, proven };

function proven(text: string, key: string): ProvenEvent | undefined {
  const publicKey = publicKeyFrom(key);
  const proof = parsed(text, 'the proof') as InclusionProof;
  const event = provenBy(proof, publicKey);
  if (!event) return undefined;
  const [stream, revision, id, type] = event;
  const [named, typed] = [String(stream), String(type)];
  return { stream: named, revision: Number(revision), id: String(id), type: typed, seal: proof.seal };
}

function provenBy(proof: InclusionProof, publicKey: string): unknown[] | undefined {
  try {
    return provenEvent(proof, publicKey);
  } catch {
    // A file of another shape proves nothing.
    return undefined;
  }
}

/** Reads a public key, given as text or as the name of a file. @throws CallRefused */
export function publicKeyFrom(given: string): string {
  try {
    return readPublicSealKey(given);
  } catch {
    // It may be a file.
  }
  try {
    return readPublicSealKey(readText(given));
  } catch (error) {
    throw error instanceof CallRefused
      ? error
      : new CallRefused(`--key ${given}: the public key ${messageOf(error)}`);
  }
}
