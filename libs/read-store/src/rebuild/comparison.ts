import type pg from 'pg';
import type { Key } from '../read-model.js';
import { compareRows, shownRows, type RowDifferences } from './compare-rows.js';
import type { LiveGenerations } from './live-generations.js';
import type { PreparedBuild } from './prepare-builds.js';
import type { ProgressiveFold } from './progressive-fold.js';
import type { RebuildSession } from './rebuild-session.js';
import type { ServingRow } from './switch-generation.js';

/** What was found to differ between the new generations and the live ones so far. */
export class Comparison {
  private readonly found = new Map<string, RowDifferences>();

  constructor(
    private readonly session: RebuildSession,
    private readonly live: LiveGenerations,
    private readonly fold: ProgressiveFold,
  ) {}

  of(name: string): RowDifferences | undefined {
    return this.found.get(name);
  }

  differs(name: string): boolean {
    const found = this.found.get(name);
    return found !== undefined && found.missing + found.extra + found.changed > 0;
  }

  /** Rows that changed since they were compared. */
  get changedRows(): number {
    return this.live.following.reduce((rows, { touched }) => rows + (touched?.size ?? 0), 0);
  }

  /** All rows of these, in a snapshot in which both generations are at one position. @returns the epochs of the live ones */
  async compareAll(builds: readonly PreparedBuild[]): Promise<Map<string, bigint>> {
    const serving = await this.inSnapshot(async (serving) => {
      for (const [done, build] of builds.entries()) {
        this.fold.tell('comparing', done);
        this.session.options.signal.throwIfAborted();
        this.found.set(build.model.name, await this.compare(this.session.reader, build));
      }
      return serving;
    });
    return new Map([...serving].map(([name, { epoch }]) => [name, epoch]));
  }

  /** What changed since then, in another snapshot. */
  async compareChanged(): Promise<void> {
    await this.inSnapshot(() => this.compareChangedOn(this.session.reader));
  }

  /** The same on a connection that sees both generations at one position by itself. */
  async compareChangedOn(client: pg.Client): Promise<void> {
    for (const build of this.live.following) {
      const { touched, model } = build;
      if (!touched || touched.size === 0) continue;
      const found = await this.compare(client, build, [...touched.values()]);
      this.found.set(model.name, sum(this.found.get(model.name), found));
      touched.clear();
    }
  }

  /** The work runs while `reader` sees both generations at one position. What is touched from then on is remembered. */
  private async inSnapshot<T>(work: (serving: ReadonlyMap<string, ServingRow>) => Promise<T>): Promise<T> {
    const { reader } = this.session;
    await reader.query('begin isolation level repeatable read read only');
    try {
      const serving = await this.live.holding(async (held) => {
        // The first statement is what takes the snapshot.
        await reader.query('select 1');
        for (const build of this.live.following) build.touched ??= new Map();
        return held;
      });
      return await work(serving);
    } finally {
      await reader.query('rollback').catch(() => undefined);
    }
  }

  private compare(client: pg.Client, build: PreparedBuild, keys?: readonly Key[]): Promise<RowDifferences> {
    const { model, generation: rebuilt, serving } = build;
    const { environment } = this.session;
    return compareRows(client, { environment, model, live: serving!.generation, rebuilt }, keys);
  }
}

function sum(a: RowDifferences | undefined, b: RowDifferences): RowDifferences {
  if (!a) return b;
  return {
    rows: a.rows + b.rows,
    missing: a.missing + b.missing,
    extra: a.extra + b.extra,
    changed: a.changed + b.changed,
    first: [...a.first, ...b.first].slice(0, shownRows),
  };
}
