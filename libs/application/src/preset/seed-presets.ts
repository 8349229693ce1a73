import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { presetTable, type BundledPreset } from '#domain/preset/preset-table.js';
import type { Environment } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import type { Clock } from '#platform/clock.js';
import { newId } from '#platform/ids.js';
import { packagePath } from '#platform/package-folder.js';
import type { ObjectStorage } from '#storage/object-storage.js';
import type { CommandContext } from '../command-context.js';
import { installation } from '../operation/manage-operations.js';
import { publishPreset, type PresetDraft } from './publish-preset.js';

export interface SeedOptions {
  /** Default: the presets that come with this release. */
  readonly table?: readonly BundledPreset[];
  /** Where `{id}.jpg` lie. */
  readonly previews?: string;
  /**
   * Publishes them all whatever was decided before, also those that the operator has retired, and stores their
   * previews anew. Default: what is there is left alone.
   */
  readonly restore?: boolean;
}

export interface SeededPresets {
  readonly published: number;
  readonly unchanged: number;
  /** Position of the last event that was written; undefined: nothing was to do. */
  readonly position: bigint | undefined;
}

/**
 * Publishes the presets that come with this release in one environment. Idempotent, safe to run by several at the
 * same time, and quick when nothing is to do: one short stream is read for each preset.
 */
export async function seedPresets(
  store: EventStore,
  storage: ObjectStorage,
  environment: Environment,
  clock: Clock,
  { table = presetTable, previews, restore = false }: SeedOptions = {},
): Promise<SeededPresets> {
  const settled = await Promise.allSettled(
    table.map(async (row) => {
      const draft = await withPreview(row, previews);
      const outcome = await publishPreset(store, storage, contextOf(environment, clock), draft, {
        keepRetired: !restore,
        restorePreview: restore,
      });
      if (outcome.kind === 'rejected') {
        throw new Error(
          `preset ${row.id} is a ${outcome.rejection.kind} in ${environment}, not a ${row.kind}`,
        );
      }
      return outcome;
    }),
  );
  // One that fails keeps no other from being published, and is told when all are done.
  const failed = settled.find((each) => each.status === 'rejected');
  if (failed) throw failed.reason;
  const outcomes = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const published = outcomes.filter((outcome) => outcome.kind === 'published');
  const position = published.reduce<bigint | undefined>(
    (last, each) => (each.position !== undefined && each.position > (last ?? -1n) ? each.position : last),
    undefined,
  );
  return { published: published.length, unchanged: outcomes.length - published.length, position };
}

/** @throws ENOENT for a preset of the table without a preview: the release is not complete */
async function withPreview(
  row: BundledPreset,
  folder = packagePath('assets', 'presets'),
): Promise<PresetDraft> {
  return { ...row, preview: await readFile(join(folder, `${row.id}.jpg`)) };
}

function contextOf(environment: Environment, clock: Clock): CommandContext {
  const requestId = newId();
  const actor = 'saga:preset-seeding';
  return { environment, tenant: installation, commandId: requestId, requestId, actor, at: clock() };
}
