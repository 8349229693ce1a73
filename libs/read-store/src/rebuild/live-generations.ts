import { transact } from '../exclusive-session.js';
import { readServing, type ServingRow } from './generations.js';
import { HistoryFold } from './history-fold.js';
import type { Preparation, PreparedBuild } from './prepare-builds.js';
import type { RebuildSession } from './rebuild-session.js';

/** What the new generations are measured against: the generations that readers see. */
export class LiveGenerations {
  /** How long the projector was last kept from committing. */
  heldMs = 0;

  constructor(
    private readonly session: RebuildSession,
    private readonly builds: readonly PreparedBuild[],
    private readonly fold: ProgressiveFold,
  ) {}

  /** Those that have live rows to be compared with. */
  get comparable(): readonly PreparedBuild[] {
    return this.builds.filter(({ serving, resumedAfter }) => {
      if (!serving?.hasTable || serving.position === null) return false;
      // What is beyond a generation that stands still was compared before it went there.
      return serving.state === 'live' || (resumedAfter ?? -1n) <= serving.position;
    });
  }

  /** Of these, those whose live rows a projector keeps up to date, or would if one ran. */
  get following(): readonly PreparedBuild[] {
    return this.comparable.filter(({ serving }) => serving?.state === 'live');
  }

  /** Those that go as far as the log, whatever is live. */
  get standing(): readonly PreparedBuild[] {
    return this.builds.filter((build) => !this.following.includes(build));
  }

  async positions(builds: readonly PreparedBuild[]): Promise<Map<string, bigint>> {
    return positionsOf(builds, await readServing(this.session.control, this.session.environment));
  }

  /** Does the work while the live generations stand still and the new ones are where they are. */
  async holding<T>(work: (serving: ReadonlyMap<string, ServingRow>) => Promise<T>): Promise<T> {
    const { control, environment } = this.session;
    const startedAt = performance.now();
    try {
      return await transact(control, async () => {
        const serving = await readServing(control, environment, 'for update');
        await this.fold.catchUp(positionsOf(this.following, serving));
        return work(serving);
      });
    } finally {
      this.heldMs = performance.now() - startedAt;
    }
  }
}

function positionsOf(
  builds: readonly PreparedBuild[],
  serving: ReadonlyMap<string, ServingRow>,
): Map<string, bigint> {
  const positions = builds.map(({ model }) => [model.name, serving.get(model.name)?.position] as const);
  return new Map(
    positions.filter((entry): entry is readonly [string, bigint] => typeof entry[1] === 'bigint'),
  );
}

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
