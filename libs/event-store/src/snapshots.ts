import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/**
 * Snapshots of folded streams: a shortcut for reading, never a source of truth. Every one of them can be dropped at
 * any time; the next load then folds from the first event. They therefore live beside the log, in any store.
 */
export interface Snapshot {
  /** The last event that the state includes. */
  readonly revision: bigint;
  /** JSON, in the shape of the fold version that it was saved under. */
  readonly state: unknown;
}

export abstract class SnapshotStore {
  /**
   * The newest snapshot that was made by this version of the fold. Another version's is never returned: a fold that
   * changed must not continue from what the old one computed.
   */
  abstract load(stream: string, foldVersion: number): Promise<Snapshot | undefined>;

  /** Only ever moves forward: when a newer revision is stored already, nothing happens. `state` must be JSON. */
  abstract save(stream: string, foldVersion: number, revision: bigint, state: unknown): Promise<void>;

  /** Forgets the snapshot that {@link load} gave, so that one of any revision can be saved again. */
  abstract drop(stream: string, foldVersion: number, revision: bigint): Promise<void>;
}

/**
 * Snapshots that nobody else can have written: each is saved with a keyed digest, and one that does not verify (or has
 * none, as those of older releases) is dropped, so that its stream is folded. Without a secret there is nothing to tell a
 * true snapshot by: none is loaded, and none saved.
 * @param secret text that is not in the database
 * @param onDropped called for each that was dropped
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
      // Whatever it is: only a state that has its digest leaves this function.
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
