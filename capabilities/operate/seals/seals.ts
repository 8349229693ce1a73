import { writeFileSync } from 'node:fs';
import {
  rangeSealed,
  readChainEnd,
  sealAlone,
  sealedEvents,
  sealStream,
  type Seal,
  type StoredSeal,
} from '#event-store/seals/seal.js';
import type { EventStore } from '#event-store/event-store.js';
import type { Configuration } from '#platform/configuration.js';
import { readForwards } from '#application/aggregate.js';
import { type SealKey, newSealKey, publicSealKeyPem, readSealKey } from '#platform/seal-key.js';
import { messageOf } from '#platform/errors.js';
import { BooleanField, IntegerField } from '#validation/fields.js';
import { defineCall } from '#operator-calls/call.js';
import { LimitField } from '#operator-calls/input.js';
import { jsonLines, printPieces } from '../lines.js';
import { printJson, printLine, printTable } from '#operator-calls/output.js';
import { findConfiguration } from '../service.js';
import { CliError } from '#operator-calls/call-refused.js';
import type { OutputOptions } from '../verb.js';
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

class SealChoice {
  @BooleanField({ description: 'Every seal, and not only the last one.' })
  all: boolean = false;
}

/** One line a seal. To be kept where the store's owner cannot write. */
export const exportSeals = defineCall({
  name: 'seal export',
  route: 'GET /seals/export',
  may: ['read'],
  summary:
    'The last seal, or every seal, as they are signed: keep them where nobody who has the store can write',
  input: SealChoice,
  lines: [],
  async run({ store }, { all }) {
    if (all) return sealsOf(store);
    const { seal } = await readChainEnd(store);
    if (!seal) throw new CliError('nothing is sealed yet (docs/seals.md)', 'RESOURCE_NOT_FOUND');
    // As a sealer stored it.
    return one(sealAlone(seal as StoredSeal));
  },
  print: (seals) => printPieces(jsonLines(seals)),
});

async function* one(seal: Seal): AsyncGenerator<Seal, void> {
  yield await Promise.resolve(seal);
}

async function* sealsOf(store: EventStore): AsyncGenerator<Seal, void> {
  for await (const events of readForwards(store, sealStream, 0n))
    for (const { type, data } of events)
      // What is no genuine seal, the audit says.
      if (type === rangeSealed) yield sealAlone(data as StoredSeal);
}

class SealPage {
  @LimitField(200, 50)
  limit: number = 50;

  @IntegerField({ description: 'Only seals before the one with this number.', min: 1, max: 2 ** 31 })
  before?: number;
}

export const listSeals = defineCall({
  name: 'seal list',
  route: 'GET /seals',
  may: ['read'],
  summary: 'The seals under the history, the latest first, and what waits for the next one',
  input: SealPage,
  async run({ store, configuration }, { limit, before = Infinity }) {
    const level = await readSealLevel(store);
    const seals = [];
    // Backwards, in pages: the leaves that a sealer keeps beside each seal are many.
    for (let from: bigint | undefined; seals.length < limit;) {
      const page = { direction: 'backwards' as const, limit: 100, ...(from !== undefined && { from }) };
      const slice = await store.readStream(sealStream, page);
      const events = slice.kind === 'found' ? slice.events : [];
      for (const { type, data } of events) {
        const { number, sealedAt, count, first, last, key, root } = data as Seal;
        if (type === rangeSealed && number < before && seals.length < limit)
          seals.push({ number, sealed_at: sealedAt, events: count, first, last, key, root });
      }
      const oldest = events.at(-1)?.revision ?? 0n;
      if (oldest === 0n) break;
      from = oldest - 1n;
    }
    return {
      public_key: configuration.sealing.key?.publicKey ?? null,
      seals,
      waiting_since: level.waitingSince ?? null,
      late: isLate(level),
    };
  },
  print: ({ seals, waiting_since: since }) => {
    printTable(seals, {
      seal: ({ number }) => number,
      sealed: (seal) => seal.sealed_at,
      events: ({ events }) => events,
      'last event': ({ last }) => `${last.stream} revision ${last.revision}`,
      key: ({ key }) => key,
    });
    printLine(since === null ? 'Nothing waits for its seal.' : `Events wait for their seal since ${since}.`);
  },
});

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

/** A sealer needs less than a second, and a projector that takes over a few more. */
const longestUnsealedMs = 60_000;

/** How far the history is sealed. */
export interface SealLevel {
  readonly last: Pick<Seal, 'number' | 'sealedAt'> | undefined;
  /** When the first event was recorded that waits for its seal; undefined: none does. */
  readonly waitingSince: string | undefined;
}

export async function readSealLevel(store: EventStore): Promise<SealLevel> {
  const { seal } = await readChainEnd(store);
  const last =
    seal && (await store.readStream(seal.last.stream, { from: BigInt(seal.last.revision), limit: 1 }));
  const after = last?.kind === 'found' ? last.events[0]?.position : undefined;
  const page = { limit: 1, filter: sealedEvents, ...(after !== undefined && { after }) };
  const [waiting] = await store.readAll(page);
  return { last: seal, waitingSince: waiting?.metadata.recordedAt };
}

/** Whether a sealer should have sealed them long ago. */
export const isLate = ({ waitingSince }: SealLevel): boolean =>
  waitingSince !== undefined && Date.now() - Date.parse(waitingSince) > longestUnsealedMs;

/** How far the history is sealed. @throws Error when events wait for their seal for too long */
export async function judgeSeals(
  store: EventStore,
  { sealing }: Pick<Configuration, 'sealing'>,
): Promise<string> {
  const level = await readSealLevel(store);
  const { last, waitingSince } = level;
  if (!last && !sealing.key) return 'none: history is not sealed (docs/seals.md)';
  const reached = last ? `seal ${last.number} of ${last.sealedAt}` : 'nothing';
  if (isLate(level)) throw new Error(`${reached}; events wait for theirs since ${waitingSince}`);
  return last ? `up to date, with ${reached}` : 'nothing to seal yet';
}
