import { installation } from '#application/operation/manage-operations.js';
import { publishPreset, type PresetDraft } from '#application/preset/publish-preset.js';
import { seedPresets } from '#application/preset/seed-presets.js';
import { environments, type Environment } from '#domain/streams.js';
import { systemClock } from '#platform/clock.js';
import { CliError } from '../cli-error.js';
import { Operator } from '../operator.js';
import { printJson, printTable } from '../output.js';
import type { OutputOptions } from '../verb.js';
import { findStorage } from './object-storage.js';
import { readPresetFile } from './preset-file.js';

export interface PublishOptions extends OutputOptions {
  readonly all?: boolean;
  readonly env?: Environment;
}

/** A preset of the operator's own; or with `--all` those that come with this release, retired ones as well. */
export async function publish(file: string | undefined, options: PublishOptions): Promise<void> {
  const { all, env, json } = options;
  if ((file === undefined) === (all !== true))
    throw new CliError('name a file, or use --all: one of the two');
  const draft = file === undefined ? undefined : await readPresetFile(file);
  await using operator = Operator.connect();
  const presets = [];
  for (const environment of env ? [env] : environments) {
    const done = draft
      ? await publishOne(operator, environment, draft)
      : await publishAll(operator, environment);
    await operator.caughtUp(environment, 'presets', done.position);
    const id = draft?.id ?? null;
    presets.push({ env: environment, id, published: done.published, unchanged: done.unchanged });
  }
  if (json) printJson({ presets });
  else
    printTable(
      ['environment', 'preset', 'published', 'unchanged'],
      presets.map((each) => [each.env, each.id ?? 'all', each.published, each.unchanged]),
    );
}

async function publishOne(operator: Operator, environment: Environment, draft: PresetDraft) {
  const context = operator.context(environment, installation);
  const outcome = await publishPreset(operator.store, findStorage(), context, draft, {
    restorePreview: true,
  });
  switch (outcome.kind) {
    case 'rejected':
      throw new CliError(
        `${draft.id} is a ${outcome.rejection.kind}, and stays one: give this preset another id`,
      );
    case 'unchanged':
      return { published: 0, unchanged: 1, position: undefined };
    case 'published':
      return { published: 1, unchanged: 0, position: outcome.position };
    default:
      return outcome satisfies never;
  }
}

function publishAll(operator: Operator, environment: Environment) {
  return seedPresets(operator.store, findStorage(), environment, systemClock, { restore: true });
}
