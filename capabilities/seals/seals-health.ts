import type { EventStore } from '#event-store/event-store.js';
import { ownEvents } from '#event-store/own-events.js';
import { Unwell, type Health } from '#operator-calls/health.js';
import type { Configuration } from '#platform/configuration.js';
import { readHead, type HeadSettings } from './heads.js';
import { misfitOfHead } from './kept-heads.js';
import { readChainEnd, type Seal } from './seal.js';

/** A sealer needs less than a second, and a projector that takes over needs a few more. */
const longestUnsealedMs = 60_000;

/** How far the history is sealed. */
export interface SealLevel {
  readonly last: Pick<Seal, 'number' | 'sealedAt'> | undefined;
  /** The time of the first event that waits for its seal; undefined: none does. */
  readonly waitingSince: string | undefined;
}

export async function readSealLevel(store: EventStore): Promise<SealLevel> {
  const { seal } = await readChainEnd(store);
  const last =
    seal && (await store.readStream(seal.last.stream, { from: BigInt(seal.last.revision), limit: 1 }));
  const after = last?.kind === 'found' ? last.events[0]?.position : undefined;
  const page = { limit: 1, filter: ownEvents, ...(after !== undefined && { after }) };
  const [waiting] = await store.readAll(page);
  return { last: seal, waitingSince: waiting?.metadata.recordedAt };
}

/** Whether a sealer should have sealed the waiting events long ago. */
export const isLate = ({ waitingSince }: SealLevel): boolean =>
  waitingSince !== undefined && Date.now() - Date.parse(waitingSince) > longestUnsealedMs;

/** How far the history is sealed. @throws Error if events have waited too long for their seal */
async function judgeSeals(store: EventStore, { sealing }: Pick<Configuration, 'sealing'>): Promise<string> {
  const level = await readSealLevel(store);
  const { last, waitingSince } = level;
  if (!last && !sealing.key) return 'none: history is not sealed (docs/seals.md)';
  const reached = last ? `seal ${last.number} of ${last.sealedAt}` : 'nothing';
  if (isLate(level)) throw new Error(`${reached}; events have waited for a seal since ${waitingSince}`);
  return last ? `up to date, with ${reached}` : 'nothing to seal yet';
}

/** A projector normally keeps the first head within seconds. */
const keptAfterMs = 60_000;

const toAccept =
  'run "atelier ledger audit"; after a restore of your own, "atelier seal accept" (docs/seals.md)';

/**
 * The head that is kept outside the database.
 * @throws Unwell if the log does not hold it, or no head was kept for a long time
 */
async function judgeHead(store: EventStore, settings: HeadSettings): Promise<string> {
  const end = await readChainEnd(store);
  if (!settings.sealing.keepIn.includes('objects')) return 'no head is kept outside the database';
  const head = await readHead(settings, end);
  const misfit = head && (await misfitOfHead(store, head));
  if (misfit !== undefined) throw new Unwell(misfit, toAccept);
  if (head)
    return head.seal ? `seal ${head.seal.number} is kept outside the database` : 'a fresh start was accepted';
  if (end.seal && Date.now() - Date.parse(end.seal.sealedAt) > keptAfterMs)
    throw new Unwell('no head is kept outside the database, where this command looks for it', toAccept);
  return 'nothing is kept outside the database yet';
}

/** The seals' part of the report of `atelier now`; the names are stable. */
export interface SealFacts {
  readonly last: number | null;
  readonly sealed_at: string | null;
  readonly waiting_since: string | null;
  readonly late: boolean;
}

export const sealsHealth: Health<SealFacts> = {
  checks: [
    {
      name: 'seals',
      advice:
        'start a projector that has the key of the last seal. If one runs, its log says why it does not seal (docs/seals.md)',
      look: judgeSeals,
    },
    {
      name: 'head of the seals',
      advice: 'see to the database and the event store above first',
      outside: true,
      look: judgeHead,
    },
  ],
  status: ({ store, configuration }) => judgeSeals(store, configuration),
  async facts({ store }) {
    const level = await readSealLevel(store);
    const { last, waitingSince } = level;
    return {
      last: last?.number ?? null,
      sealed_at: last?.sealedAt ?? null,
      waiting_since: waitingSince ?? null,
      late: isLate(level),
    };
  },
  reasons: ({ late, waiting_since: since }) =>
    late ? [{ env: null, detail: `events have waited for a seal since ${since}` }] : [],
  line: ({ last, sealed_at: at }) => `last seal: ${last === null ? 'none' : `${last} of ${at}`}`,
};
