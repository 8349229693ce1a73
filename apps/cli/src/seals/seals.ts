import { writeFileSync } from 'node:fs';
import {
  rangeSealed,
  readChainEnd,
  sealStream,
  type Seal,
  type StoredSeal,
} from '#event-store/seals/seal.js';
import { readForwards } from '#application/aggregate.js';
import type { SealKey } from '#platform/seal-key.js';
import { newSealKey, publicSealKeyPem, readSealKey } from '#platform/seal-key.js';
import { messageOf } from '#platform/errors.js';
import { printJson, printLine } from '../output.js';
import { findConfiguration, patience, withEventStore } from '../service.js';
import { CliError, type OutputOptions } from '../verb.js';
import { publicKeyFrom } from './proofs.js';

/** The public half: what whoever checks seals and proofs needs, and nothing that has to be kept secret. */
export function showSealKey({ json }: OutputOptions): Promise<void> {
  const { publicKey } = configuredKey();
  if (json) printJson({ public_key: publicKey, pem: publicSealKeyPem(publicKey) });
  else printLine(`${publicSealKeyPem(publicKey)}${publicKey}`);
  return Promise.resolve();
}

function configuredKey(): SealKey {
  const { key } = findConfiguration().sealing;
  if (key) return key;
  throw new CliError('there is no seal key: set ATELIER_SEAL_KEY_FILE, as for the projector (docs/seals.md)');
}

/** One line a seal: the last one, or with `--all` each. To be kept where the store's owner cannot write. */
export async function exportSeals({ all }: OutputOptions & { readonly all?: boolean }): Promise<void> {
  await withEventStore(findConfiguration(), patience, async (store) => {
    if (!all) {
      const { seal } = await readChainEnd(store);
      if (!seal) throw new CliError('nothing is sealed yet (docs/seals.md)');
      printLine(exported(seal));
      return;
    }
    for await (const events of readForwards(store, sealStream, 0n))
      for (const { type, data } of events)
        // What is no genuine seal, the audit says.
        if (type === rangeSealed) printLine(exported(data as Seal));
  });
}

function exported(stored: Seal): string {
  const { leaves: _, ...seal } = stored as StoredSeal;
  return JSON.stringify(seal);
}

export interface RotateOptions extends OutputOptions {
  readonly output: string;
  readonly lost?: string;
}

/** A new key in a new file, which names the old one and is named by it. It seals nothing before a projector has it. */
export function rotateSealKey({ output, lost, json }: RotateOptions): Promise<void> {
  const text = newSealKey(lost === undefined ? configuredKey() : publicKeyFrom(lost));
  try {
    writeFileSync(output, text, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw new CliError(`${output} cannot be made: ${messageOf(error)}`);
  }
  const { publicKey } = readSealKey(text);
  if (json) printJson({ file: output, public_key: publicKey });
  else {
    printLine(`${output} holds the private key; its public half is ${publicKey}`);
    printLine('Set ATELIER_SEAL_KEY_FILE to this file for every projector, and start them again.');
  }
  return Promise.resolve();
}
