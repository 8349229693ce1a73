import { ObjectStorageModule } from '#adapters/object-storage.module.js';
import { installation } from '#application/command-context.js';
import {
  PublishPreset,
  RetirePreset,
  SeedPresets,
  type PresetDraft,
} from '#application/preset/manage-presets.handler.js';
import { PresetModule } from '#application/preset/preset.module.js';
import type { Environment } from '#domain/streams.js';
import { systemClock } from '#platform/clock.js';
import { PresetsReader } from '#projections/readers.js';
import { presetKinds, type PresetKind } from '#domain/preset/preset.events.js';
import { newId } from '#platform/ids.js';
import { BooleanField, ChoiceField, IdField, ObjectField, TextField } from '#validation/fields.js';
import { defineCall } from '#operator-calls/call.js';
import { InEnvironment, environmentsOf } from '#operator-calls/input.js';
import type { Operator } from '#operator-calls/operator.js';
import { printLine, printTable } from '#operator-calls/output.js';
import { CallRefused } from '#operator-calls/call-refused.js';
import { maxPreviewBytes, maxSpecBytes, readPresetFile, requireJpeg, requireOwnId } from './preset-file.js';

/** The modules that publish and retire presets, and keep their previews. */
const features = [ObjectStorageModule, PresetModule];

class PublishedPreset extends InEnvironment {
  @BooleanField({ description: 'All presets that come with this release, also retired ones.' })
  all: boolean = false;

  @IdField({ description: 'The id of an existing preset. Without it, a new preset is made.' })
  id?: string;

  @ChoiceField({ description: 'The kind of preset.', values: presetKinds })
  kind?: PresetKind;

  @TextField({ description: 'The name by which people choose it.', min: 1, max: 128 })
  label?: string;

  @ObjectField({ description: 'The recipe: words and numbers.', maxBytes: maxSpecBytes })
  spec?: Record<string, unknown>;

  @TextField({
    description: 'Its tile: a JPEG, in base 64.',
    min: 1,
    max: Math.ceil((maxPreviewBytes * 4) / 3) + 4,
  })
  image?: string;
}

export const publishPresets = defineCall({
  name: 'presets publish',
  route: 'POST /presets',
  may: [],
  summary: 'Publish a preset of your own, or with `all` those of this release',
  input: PublishedPreset,
  typed: { id: 'nothing', kind: 'nothing', label: 'nothing', spec: 'nothing', image: 'nothing' },
  file: 'JSON: {id?, kind, label, spec, image}; image is the path of a JPEG beside it',
  features,
  unrecorded: ['image'],
  // The command gets a file name, and reads the file on its own machine.
  async prepare({ file, ...input }: PublishedPreset & { file?: string }) {
    if ((file === undefined || file === null) === !input.all)
      throw new CallRefused('name a file, or use --all: one of the two');
    if (!file) return input;
    const { preview, ...draft } = await readPresetFile(file);
    return { ...input, ...draft, image: preview.toString('base64') };
  },
  async run(operator, input) {
    const draft = input.all ? undefined : draftOf(input);
    const presets = [];
    for (const environment of environmentsOf(input.env)) {
      const { position, ...done } = draft
        ? await publishOne(operator, environment, draft)
        : await operator.execute(new SeedPresets(environment, systemClock(), { restore: true }));
      await operator.caughtUp(environment, 'presets', position);
      presets.push({ env: environment, id: draft?.id ?? null, ...done });
    }
    return { presets };
  },
  print: ({ presets }) =>
    printTable(presets, {
      environment: (preset) => preset.env,
      preset: (preset) => preset.id ?? 'all',
      published: (preset) => preset.published,
      unchanged: (preset) => preset.unchanged,
    }),
});

/** @throws CallRefused */
function draftOf({ id = newId(), kind, label, spec, image }: PublishedPreset): PresetDraft {
  if (kind === undefined || label === undefined || spec === undefined || image === undefined)
    throw new CallRefused('send kind, label, spec and image, or all', 'VALIDATION_ERROR');
  const preview = Buffer.from(image, 'base64');
  requireOwnId(id);
  requireJpeg(preview, 'the image');
  return { id, kind, label: label.trim(), spec, preview };
}

async function publishOne(operator: Operator, environment: Environment, draft: PresetDraft) {
  const context = operator.context(environment, installation);
  const outcome = await operator.execute(new PublishPreset(context, draft, { restorePreview: true }));
  switch (outcome.kind) {
    case 'rejected':
      throw new CallRefused(
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

class RetiredPreset extends InEnvironment {
  @IdField({ description: 'The preset, as `presets list` shows it.', required: true })
  id: string;

  @TextField({ description: 'Why, for the record.', min: 1, max: 200 })
  reason: string = 'retired by the operator';
}

export const retireOwnPreset = defineCall({
  name: 'presets retire',
  route: 'POST /presets/:id/retire',
  may: [],
  summary: 'Take a preset out of use; jobs that were queued with it still render',
  input: RetiredPreset,
  features,
  async run(operator, { id: presetId, reason, env }) {
    const retired: Environment[] = [];
    for (const environment of environmentsOf(env)) {
      const context = operator.context(environment, installation);
      const done = await operator.execute(new RetirePreset(context, presetId, reason));
      // An own preset may have been published in one environment only.
      if (done.kind === 'rejected') continue;
      await operator.caughtUp(environment, 'presets', done.position);
      retired.push(environment);
    }
    if (retired.length > 0) return { id: presetId, retired };
    const message = `there is no preset ${presetId}: "atelier presets list" shows the presets`;
    throw new CallRefused(message, 'RESOURCE_NOT_FOUND');
  },
  print: ({ id, retired }) => printLine(`Preset ${id} is retired in ${retired.join(' and ')}.`),
});

/** Lists retired presets too. */
export const listAllPresets = defineCall({
  name: 'presets list',
  route: 'GET /presets',
  may: ['read'],
  summary: 'Every preset, retired ones included',
  input: InEnvironment,
  async run(operator, { env }) {
    const presets = [];
    for (const environment of environmentsOf(env)) {
      const rows = await new PresetsReader(await operator.readModels(environment)).all();
      for (const { presetId, kind, label, publishedAt, retiredAt } of rows)
        presets.push({
          id: presetId,
          env: environment,
          kind,
          label,
          status: retiredAt ? ('retired' as const) : ('published' as const),
          published_at: publishedAt,
          retired_at: retiredAt,
        });
    }
    return { presets };
  },
  print: ({ presets }) =>
    printTable(presets, {
      preset: (preset) => preset.id,
      environment: (preset) => preset.env,
      kind: (preset) => preset.kind,
      label: (preset) => preset.label,
      status: (preset) => preset.status,
      published: (preset) => preset.published_at,
      retired: (preset) => preset.retired_at,
    }),
});
