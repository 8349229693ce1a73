import { openStorage } from '#adapters/object-storage.module.js';
import { CallRefused } from '#operator-calls/call-refused.js';
import type { Configuration } from '#platform/configuration.js';
import { messageOf } from '#platform/errors.js';
import type { ObjectStorage } from '#storage/object-storage.js';
import { acceptEnd, newestHead, type Acceptance, type PlacedHead } from './kept-heads.js';
import { sealAlone, type ChainEnd, type StoredSeal } from './seal.js';
import type { SealKey } from './seal.key.js';

export type HeadSettings = Pick<Configuration, 'sealing' | 'storage' | 'publicUrl'>;

/**
 * The newest head outside the database, under the key of this configuration, or else under the key of the
 * chain's last seal. Undefined if there is none, or if none is kept.
 * @throws CallRefused if the storage does not answer
 */
export async function readHead(settings: HeadSettings, end: ChainEnd): Promise<PlacedHead | undefined> {
  const { key, keepIn } = settings.sealing;
  const publicKey = key?.publicKey ?? end.seal?.key;
  if (!keepIn.includes('objects') || publicKey === undefined) return undefined;
  const storage = await openStorage(settings);
  try {
    return await newestHead(storage, { publicKey, succession: key?.succession });
  } catch (error) {
    throw new CallRefused(
      `the head of the seals cannot be read from the storage of pictures: ${messageOf(error)}. Set ATELIER_SEAL_KEEP=log to go on without it`,
    );
  } finally {
    close(storage);
  }
}

/** Lets sealing go on from where the log ends now. */
export async function acceptNow(
  settings: HeadSettings,
  key: SealKey,
  { seal }: ChainEnd,
  by: Pick<Acceptance, 'by' | 'reason'>,
): Promise<PlacedHead> {
  const storage = await openStorage(settings);
  try {
    const at = new Date().toISOString();
    // A sealer stored this seal, so it is a `StoredSeal`.
    return await acceptEnd(storage, key, { seal: seal && sealAlone(seal as StoredSeal) }, { ...by, at });
  } finally {
    close(storage);
  }
}

function close(storage: ObjectStorage): void {
  if ('close' in storage && typeof storage.close === 'function') storage.close();
}
