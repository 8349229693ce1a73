import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/**
 * Snapshots of folded streams make reads faster. They are never a source of truth: each one can be dropped at
 * any time, and the next load then folds from the first event. So any store can hold them, also beside the log.
 */
export interface Snapshot {
  /** The last event that the state includes. */
  readonly revision: bigint;
  /** JSON, in the shape of the fold version that saved it. */
  readonly state: unknown;
}

export abstract class SnapshotStore {
  /**
   * The newest snapshot of this version of the fold. Snapshots of other versions do not count: a changed fold
   * must not continue from an old fold's result.
   */
  abstract load(stream: string, foldVersion: number): Promise<Snapshot | undefined>;

  /** Does nothing if a newer revision is stored already. `state` must be JSON. */
  abstract save(stream: string, foldVersion: number, revision: bigint, state: unknown): Promise<void>;

  /** Deletes the snapshot that {@link load} returned, so that a snapshot of any revision can be saved again. */
  abstract drop(stream: string, foldVersion: number, revision: bigint): Promise<void>;
}

/**
 * Snapshots that only holders of the secret can write. Each is saved with a keyed digest. A snapshot whose
 * digest is wrong or missing (older releases wrote none) is dropped, and its stream is folded. Without a secret
 * no snapshot can be checked, so none is loaded or saved.
 * @param secret text that is not in the database
 * @param onDropped called for each dropped snapshot
 */
export function authenticSnapshots(
  snapshots: SnapshotStore,
  secret: string | undefined,
  onDropped: () => void,
): SnapshotStore {
  if (secret === undefined) return noSnapshots;
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'atelier snapshots', 32));
  const digestOf = (stream: string, foldVersion: number, { revision, state }: Snapshot): Buffer =>
    createHmac('sha256', key)
      .update(JSON.stringify([stream, foldVersion, String(revision), state]))
      .digest();
  return {
    async load(stream, foldVersion) {
      const found = await snapshots.load(stream, foldVersion);
      if (!found) return undefined;
      // The stored value may be anything, so it is returned only if its digest fits.
      const { digest, state } = (found.state ?? {}) as { digest?: unknown; state?: unknown };
      const snapshot = { revision: found.revision, state };
      const [given, expected] = [
        Buffer.from(String(digest), 'base64url'),
        digestOf(stream, foldVersion, snapshot),
      ];
      if (given.length === expected.length && timingSafeEqual(given, expected)) return snapshot;
      onDropped();
      await snapshots.drop(stream, foldVersion, found.revision);
      return undefined;
    },
    save(stream, foldVersion, revision, state) {
      const digest = digestOf(stream, foldVersion, { revision, state }).toString('base64url');
      return snapshots.save(stream, foldVersion, revision, { digest, state });
    },
    drop: (...given) => snapshots.drop(...given),
  };
}

export const noSnapshots: SnapshotStore = {
  load: () => Promise.resolve(undefined),
  save: () => Promise.resolve(),
  drop: () => Promise.resolve(),
};
