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
}
