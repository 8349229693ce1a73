import type { ActiveModel } from '../model-fold.js';
import type { Key } from '../read-model.js';
import type { GenerationRows } from './generation-rows.js';

/** A generation that is being filled. `active.checkpoint.position` is how far it is folded, in memory. */
export interface Build {
  readonly active: ActiveModel;
  readonly rows: GenerationRows;
  /** The keys of rows that were changed since somebody began to ask. */
  touched: Map<string, Key> | undefined;
}

/** At the end of the log everything before the goal was delivered, even where the last event lies before it. */
export function arrive(behind: readonly Build[], until: ReadonlyMap<string, bigint>): void {
  for (const build of behind)
    build.active.checkpoint = { ...build.active.checkpoint, position: until.get(nameOf(build))! };
}

export function nameOf({ active }: Build): string {
  return active.checkpoint.name;
}

export function isBehind(build: Build, until: ReadonlyMap<string, bigint>): boolean {
  const goal = until.get(nameOf(build));
  return goal !== undefined && (build.active.checkpoint.position ?? -1n) < goal;
}

export function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

export function larger(a: bigint | null, b: bigint): bigint {
  return a === null || a < b ? b : a;
}

export function smallest(positions: readonly (bigint | null)[]): bigint | null {
  return positions.reduce((a, b) => (a === null || b === null ? null : smaller(a, b)));
}

export function largest(positions: readonly bigint[]): bigint {
  return positions.reduce((a, b) => larger(a, b));
}
