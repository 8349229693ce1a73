import { onlyRow } from '#platform/postgres.js';
import type { RowDifferences } from './comparison.js';
import type { PreparedBuild } from './prepare-builds.js';
import type { RebuildOptions, RebuildSession } from './rebuild-session.js';

export interface RebuildRequest extends RebuildOptions {
  /** Whether a generation that differs from what is live may take its place. */
  readonly acceptDifferences?: boolean;
  /** False: it is built and compared, and then waits for a `switch`. Default true. */
  readonly switchOver?: boolean;
}

export interface RebuiltModel {
  readonly name: string;
  readonly generation: number;
  readonly version: number;
  /** Of the fold whose rows were live at the start; null: there were none to compare with. */
  readonly liveVersion: number | null;
  readonly liveGeneration: number | null;
  /** Where an earlier run had left it. */
  readonly resumedAfter: bigint | null;
  /** Null: the history has nothing for any read model. */
  readonly position: bigint | null;
  readonly rows: number;
  readonly parkedStreams: number;
  /** Undefined: there was nothing to compare with, or it was not to be compared. */
  readonly compared: RowDifferences | undefined;
  readonly switched: boolean;
}

export interface RebuildReport {
  readonly models: readonly RebuiltModel[];
  /** Read from the log, once for all read models, and how long folding them took. */
  readonly events: number;
  readonly foldSeconds: number;
  /** How long the projector was kept from committing at the switch. */
  readonly heldMs: number;
}

export async function reportOn(
  { control, environment }: RebuildSession,
  { model, generation, serving, resumedAfter, active }: PreparedBuild,
  found: Pick<RebuiltModel, 'compared' | 'switched'>,
): Promise<RebuiltModel> {
  const { name, version } = model;
  const counted = await control.query<{ rows: number }>(
    `select count(*)::integer as rows from ${environment}.${name}_g${generation}`,
  );
  return {
    ...{
      name,
      generation,
      version,
      resumedAfter,
      position: active.checkpoint.position,
      rows: onlyRow(counted).rows,
    },
    liveVersion: serving?.version ?? null,
    liveGeneration: serving?.generation ?? null,
    parkedStreams: active.parkedStreams.size,
    ...found,
  };
}
