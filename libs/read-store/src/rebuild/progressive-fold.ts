import { HistoryFold } from './history-fold.js';
import type { Preparation, PreparedBuild } from './prepare-builds.js';
import type { RebuildSession } from './rebuild-session.js';

/** The fold of a rebuild, which tells how far it is. */
export class ProgressiveFold {
  private readonly fold: HistoryFold;
  private readonly builds: readonly PreparedBuild[];
  private from: bigint | undefined;
  private through = 0n;
  /** Folded before the phase at hand began. */
  private eventsBefore = 0;

  constructor(
    private readonly session: RebuildSession,
    { builds, continuity, consumer }: Preparation,
  ) {
    const { writer, loader, environment, options } = session;
    const { eventStore, signal } = options;
    this.builds = builds;
    this.fold = new HistoryFold({
      ...{ writer, loader, environment, eventStore, signal, builds, continuity },
      keepRevisions: consumer !== undefined,
      onBatch: (position) => this.tellFolded(position),
    });
  }

  get events(): number {
    return this.fold.events;
  }

  async catchUp(until: ReadonlyMap<string, bigint>): Promise<void> {
    const positions = this.builds.map(({ active }) => active.checkpoint.position ?? 0n);
    this.from ??= positions.reduce((a, b) => (a < b ? a : b));
    this.through = [...until.values()].reduce((a, b) => (a > b ? a : b), this.from);
    await this.fold.catchUp(until);
  }

  /** For a phase that is counted in read models. Ends the one before. */
  tell(phase: string, done: number): void {
    const { onProgress, environment } = this.session.options;
    this.eventsBefore = this.fold.events;
    this.from = undefined;
    const through = BigInt(this.builds.length);
    onProgress?.({ phase: `${environment}: ${phase}`, position: BigInt(done), from: 0n, through });
  }

  private tellFolded(position: bigint): void {
    const { onProgress, environment } = this.session.options;
    const { through, from = 0n } = this;
    const events = this.fold.events - this.eventsBefore;
    onProgress?.({ phase: `${environment}: folding`, position, from, through, events });
  }
}
