import type { Snapshot, SnapshotStore } from '#event-store/snapshots.js';
import type { Process, Scheduler } from '../kernel/scheduler.js';

/** The snapshots that all clients share. They are text, so later edits by the saver do not change them. */
export type StoredSnapshots = Map<string, { readonly revision: bigint; readonly state: string }>;

/** A client of the simulated snapshots. */
export class SimulatedSnapshotStore implements SnapshotStore {
  constructor(
    private readonly stored: StoredSnapshots,
    private readonly scheduler: Scheduler,
    private readonly process: Process,
    private readonly trace: (line: string) => void = () => undefined,
  ) {}

  async load(stream: string, foldVersion: number): Promise<Snapshot | undefined> {
    await this.scheduler.turn(this.process);
    const found = this.stored.get(`${stream} ${foldVersion}`);
    if (found) this.trace(`    ${this.process.name} starts from the snapshot ${found.revision} of ${stream}`);
    return found && { revision: found.revision, state: JSON.parse(found.state) as unknown };
  }

  async save(stream: string, foldVersion: number, revision: bigint, state: unknown): Promise<void> {
    // Saves the state of this moment, however long the way to the store takes.
    const text = JSON.stringify(state);
    await this.scheduler.turn(this.process);
    const key = `${stream} ${foldVersion}`;
    const known = this.stored.get(key);
    if (!known || known.revision < revision) this.stored.set(key, { revision, state: text });
  }

  async drop(stream: string, foldVersion: number, revision: bigint): Promise<void> {
    await this.scheduler.turn(this.process);
    const key = `${stream} ${foldVersion}`;
    if (this.stored.get(key)?.revision !== revision) return;
    this.stored.delete(key);
    this.trace(`    ${this.process.name} drops the snapshot ${revision} of ${stream}`);
  }
}
