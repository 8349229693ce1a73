import { Unwell } from '../consumers.js';
import { openStorage } from '#adapters/object-storage.module.js';
import {
  acceptEnd,
  misfitOfHead,
  newestHead,
  type Acceptance,
  type PlacedHead,
} from '#application/seals/kept-heads.js';
import type { EventStore } from '#event-store/event-store.js';
import { readChainEnd, sealAlone, type ChainEnd, type StoredSeal } from '#event-store/seals/seal.js';
import type { Configuration } from '#platform/configuration.js';
import { messageOf } from '#platform/errors.js';
import type { SealKey } from '#platform/seal-key.js';
import type { ObjectStorage } from '#storage/object-storage.js';
import { TextField } from '#validation/fields.js';
import { defineCall, type AnyCall } from '#operator-calls/call.js';
import { perform } from '../perform-call.js';
import { ConnectedOperator, personAtTerminal } from '../connected-operator.js';
import { printJson, printLine } from '#operator-calls/output.js';
import { CliError } from '#operator-calls/call-refused.js';
import type { OutputOptions } from '../verb.js';

type Settings = Pick<Configuration, 'sealing' | 'storage' | 'publicUrl'>;

/**
 * The newest head outside the database, by the key of this configuration or else by that of the chain's last seal. Undefined:
 * there is none, or none is kept.
 * @throws CliError when the storage does not answer
 */
export async function readHead(settings: Settings, end: ChainEnd): Promise<PlacedHead | undefined> {
  const { key, keepIn } = settings.sealing;
  const publicKey = key?.publicKey ?? end.seal?.key;
  if (!keepIn.includes('objects') || publicKey === undefined) return undefined;
  const storage = await openStorage(settings);
  try {
    return await newestHead(storage, { publicKey, succession: key?.succession });
  } catch (error) {
    throw new CliError(
      `the head of the seals cannot be read from the storage of pictures: ${messageOf(error)}. ATELIER_SEAL_KEEP=log goes on without it`,
    );
  } finally {
    close(storage);
  }
}

function close(storage: ObjectStorage): void {
  if ('close' in storage && typeof storage.close === 'function') storage.close();
}

/** A projector keeps the first head within seconds. */
const keptAfterMs = 60_000;

const toAccept =
  'run "atelier ledger audit"; after a restore of your own, "atelier seal accept" (docs/seals.md)';

/** What stands outside, for the doctor. @throws Unwell when the log does not hold it, or nothing was kept for long */
export async function judgeHead(store: EventStore, settings: Settings): Promise<string> {
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

async function acceptNow(
  settings: Settings,
  key: SealKey,
  { seal }: ChainEnd,
  by: Pick<Acceptance, 'by' | 'reason'>,
): Promise<PlacedHead> {
  const storage = await openStorage(settings);
  try {
    const at = new Date().toISOString();
    // As a sealer stored it.
    return await acceptEnd(storage, key, { seal: seal && sealAlone(seal as StoredSeal) }, { ...by, at });
  } finally {
    close(storage);
  }
}

/**
 * A log that was copied is sealed anew where it is now. The copy was verified, so nothing is given up, as long as its source
 * held what is kept outside the database.
 * @throws CliError when it did not
 */
export async function acceptCopy(
  settings: Settings,
  { source, target }: { readonly source: EventStore; readonly target: EventStore },
  reason: string,
): Promise<void> {
  const { key } = settings.sealing;
  const end = await readChainEnd(target);
  const head = key && (await readHead(settings, end));
  if (!key || !head || (await misfitOfHead(target, head)) === undefined) return;
  const misfit = await misfitOfHead(source, head);
  if (misfit !== undefined)
    throw new CliError(
      `${misfit}: the events and the checkpoints are moved, but the source is not what was sealed. Run "atelier ledger audit"; "atelier seal accept" lets sealing go on all the same`,
    );
  await acceptNow(settings, key, end, { by: personAtTerminal(), reason });
}

class Reason {
  @TextField({
    description: 'Why less is sealed now: which backup was restored.',
    min: 1,
    max: 500,
    required: true,
  })
  reason: string;
}

/** Not of the API: it needs the seal key, and the storage in which heads are kept. */
const accept = defineCall({
  name: 'seal accept',
  route: 'POST /seals/accept',
  may: [],
  summary: 'Let sealing go on from where the log ends now, although more was sealed: after a restore',
  input: Reason,
  async run({ store, configuration, name }, { reason }) {
    const { key } = configuration.sealing;
    if (!key)
      throw new CliError(
        'there is no seal key: set ATELIER_SEAL_KEY_FILE, as for the projector (docs/seals.md)',
      );
    const end = await readChainEnd(store);
    const head = await readHead(configuration, end);
    const misfit = head && (await misfitOfHead(store, head));
    if (misfit === undefined)
      throw new CliError('there is nothing to accept: the log holds what is kept outside the database');
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

export async function acceptLog({
  reason,
  json,
}: OutputOptions & { readonly reason: string }): Promise<void> {
  await using operator = await ConnectedOperator.connect();
  const asked = {
    idempotencyKey: undefined,
    signal: new AbortController().signal,
    onProgress: () => undefined,
  };
  const result = (await perform(accept as AnyCall, operator, { reason }, asked)) as Awaited<
    ReturnType<typeof accept.run>
  >;
  if (json) printJson(result);
  else await accept.print(result, { reason }, { json: false, csv: false });
}

/** For the report of an audit. */
export function describeHead(
  head: PlacedHead | undefined,
): { readonly seal: number | null; readonly accepted: Omit<Acceptance, 'signature'> | null } | null {
  if (!head) return null;
  const { seal, accepted } = head;
  if (!accepted) return { seal: seal?.number ?? null, accepted: null };
  const { signature: _, ...told } = accepted;
  return { seal: seal?.number ?? null, accepted: told };
}
