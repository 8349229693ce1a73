import { readForwards } from '#application/aggregate.js';
import type { EventStore } from '#event-store/event-store.js';
import { CallRefused } from '#operator-calls/call-refused.js';
import { defineCall } from '#operator-calls/call.js';
import { LimitField } from '#operator-calls/input.js';
import { jsonLines, printPieces } from '#operator-calls/lines.js';
import { printLine, printTable } from '#operator-calls/output.js';
import { BooleanField, IntegerField, TextField } from '#validation/fields.js';
import { acceptNow, readHead } from './heads.js';
import { misfitOfHead } from './kept-heads.js';
import { rangeSealed, sealStream } from './seal.events.js';
import { readChainEnd, sealAlone, type Seal, type StoredSeal } from './seal.js';
import { isLate, readSealLevel } from './seals-health.js';

class SealChoice {
  @BooleanField({ description: 'Every seal, and not only the last one.' })
  all: boolean = false;
}

/** One line for each seal. Keep the lines in a place that the store's owner cannot write to. */
export const exportSeals = defineCall({
  name: 'seal export',
  route: 'GET /seals/export',
  may: ['read'],
  summary:
    'The last seal, or every seal, as signed: keep them where no one with access to the store can write',
  input: SealChoice,
  lines: [],
  async run({ store }, { all }) {
    if (all) return sealsOf(store);
    const { seal } = await readChainEnd(store);
    if (!seal) throw new CallRefused('nothing is sealed yet (docs/seals.md)', 'RESOURCE_NOT_FOUND');
    // A sealer stored this seal, so it is a `StoredSeal`.
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
      // The audit finds seals that are not genuine.
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
    // Reads backwards in pages, because a sealer keeps many leaves beside each seal.
    for (let from: bigint | undefined; seals.length < limit;) {
      const page = { direction: 'backwards' as const, limit: 100, ...(from !== undefined && { from }) };
      const slice = await store.readStream(sealStream, page);
      const events = slice.kind === 'found' ? slice.events : [];
      for (const { type, data } of events) {
        const { number, sealedAt, count, first, last, key, root, source } = data as Seal;
        if (type === rangeSealed && number < before && seals.length < limit)
          seals.push({ number, sealed_at: sealedAt, events: count, first, last, key, root, source });
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
    for (const { number, source } of seals)
      if (source !== null)
        printLine(`Seal ${number} names the last seal of the log that was copied: ${source}.`);
    printLine(since === null ? 'Nothing waits for a seal.' : `Events have waited for a seal since ${since}.`);
  },
});

class Reason {
  @TextField({
    description: 'Why less is sealed now: which backup was restored, or where the log was moved.',
    min: 1,
    max: 500,
    required: true,
  })
  reason: string;
}

/** Needs the seal key, and the storage in which heads are kept. */
export const acceptSeals = defineCall({
  name: 'seal accept',
  route: 'POST /seals/accept',
  local: true,
  may: [],
  summary: 'After a restore: let sealing go on from where the log ends, although more was sealed',
  input: Reason,
  async run({ store, configuration, name }, { reason }) {
    const { key } = configuration.sealing;
    if (!key)
      throw new CallRefused(
        'there is no seal key: set ATELIER_SEAL_KEY_FILE, as for the projector (docs/seals.md)',
      );
    const end = await readChainEnd(store);
    const head = await readHead(configuration, end);
    const misfit = head && (await misfitOfHead(store, head));
    if (misfit === undefined)
      throw new CallRefused('there is nothing to accept: the log holds what is kept outside the database');
    const accepted = await acceptNow(configuration, key, end, { by: name, reason });
    return {
      given_up: head?.seal?.number ?? null,
      goes_on_after: accepted.seal?.number ?? null,
      head: accepted.place,
    };
  },
  summarise: ({ given_up: before, goes_on_after: now }) =>
    `seal ${before} given up, seal ${now ?? 'none'} accepted`,
  print: ({ given_up: before, goes_on_after: now }) => {
    printLine(now === null ? 'The log is sealed anew.' : `Sealing goes on after seal ${now}.`);
    printLine(
      `Seals up to ${before} are kept outside the database, and will be missing from this log for ever.`,
    );
    printLine('Start the projectors again.');
  },
});
