import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { accept, type Decision } from '#domain/decision.js';
import { presetTable, type BundledPreset } from '#domain/preset/preset-table.js';
import type { PresetEvent } from '#domain/preset/preset.events.js';
import {
  evolvePreset,
  initialPreset,
  publishPreset,
  retirePreset,
  type Preset,
  type PresetKindIsFixed,
  type PublishedPreset,
} from '#domain/preset/preset.js';
import { streamName, type Environment } from '#domain/streams.js';
import { EventStore } from '#event-store/event-store.js';
import { newId } from '#platform/ids.js';
import { packagePath } from '#platform/package-folder.js';
import { ObjectStorage } from '#storage/object-storage.js';
import { handle, load } from '../aggregate.js';
import { installation, type CommandContext } from '../command-context.js';
import { StreamCommand } from '../stream-command.handler.js';

export const presetAggregate = { initial: initialPreset, evolve: evolvePreset };

export interface PresetDraft extends BundledPreset {
  /** JPEG. */
  readonly preview: Buffer;
}

export type PublishOutcome =
  | { readonly kind: 'published'; readonly position: bigint | undefined }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'rejected'; readonly rejection: PresetKindIsFixed };

export interface PublishOptions {
  /** Leaves a preset that the operator has retired as it is. */
  readonly keepRetired?: boolean;
  /** Also stores the preview when nothing has changed, because it may have been lost. */
  readonly restorePreview?: boolean;
}

/**
 * Publishes a preset or its changes: first the preview's bytes, then the event. Fails with a RangeError if the
 * preview is not a JPEG.
 */
export class PublishPreset extends Command<PublishOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly draft: PresetDraft,
    readonly options: PublishOptions = {},
  ) {
    super();
  }
}

@CommandHandler(PublishPreset)
export class PublishPresetHandler implements ICommandHandler<PublishPreset> {
  constructor(
    private readonly store: EventStore,
    private readonly storage: ObjectStorage,
  ) {}

  async execute({ context, draft, options }: PublishPreset): Promise<PublishOutcome> {
    const { keepRetired = false, restorePreview = false } = options;
    const stream = streamName(context.environment, 'preset', draft.id);
    const preset = presetOf(draft, context.at);
    const decide = (state: Preset): Decision<PresetEvent, PresetKindIsFixed> =>
      keepRetired && state.status === 'retired' ? accept() : publishPreset(preset, state);
    const loaded = await load(this.store, stream, presetAggregate);
    const foreseen = decide(loaded.state);
    if (foreseen.kind === 'rejected') return foreseen;
    const changes = foreseen.events.length > 0;
    if (changes || restorePreview) {
      await this.storage.put(preset.image.storageKey, draft.preview, preset.image.contentType);
    }
    if (!changes) return { kind: 'unchanged' };
    const done = await handle(this.store, stream, presetAggregate, decide, context, loaded);
    return done.kind === 'rejected' ? done : { kind: 'published', position: done.position };
  }
}

/** The key contains the bytes' hash, so a job that was queued with an earlier preview still finds that one. */
function presetOf({ id, kind, label, spec, preview }: PresetDraft, at: Date): PublishedPreset {
  const sha256 = hash('sha256', preview);
  const storageKey = `presets/${id}/${sha256.slice(0, 16)}.jpg`;
  const image = { storageKey, contentType: 'image/jpeg', ...jpegSize(preview), sha256 };
  return { presetId: id, kind, label, spec: { ...spec }, image, at: at.toISOString() };
}

/** Takes a preset out of the lists, for a reason. Jobs that were queued with it still render. */
export class RetirePreset extends StreamCommand<
  string,
  Preset,
  PresetEvent,
  { readonly code: 'PRESET_NOT_FOUND' }
> {
  readonly aggregate = presetAggregate;

  get stream(): string {
    return streamName(this.context.environment, 'preset', this.id);
  }

  decide(preset: Preset, at: string) {
    return retirePreset({ reason: this.data, at }, preset);
  }
}

export interface SeedOptions {
  /** Default: the presets that come with this release. */
  readonly table?: readonly BundledPreset[];
  /** The folder of the `{id}.jpg` files. */
  readonly previews?: string;
  /**
   * Publishes all presets, including those that the operator has retired, and stores their previews again. By
   * default existing presets are left alone.
   */
  readonly restore?: boolean;
}

export interface SeededPresets {
  readonly published: number;
  readonly unchanged: number;
  /** Position of the last event that was written; undefined: there was nothing to do. */
  readonly position: bigint | undefined;
}

/**
 * Publishes this release's presets in one environment. Idempotent, safe to run several times in parallel, and
 * quick when there is nothing to do: it reads one short stream for each preset. Fails with ENOENT if a preset
 * has no preview.
 */
export class SeedPresets extends Command<SeededPresets> {
  constructor(
    readonly environment: Environment,
    readonly at: Date,
    readonly options: SeedOptions = {},
  ) {
    super();
  }
}

@CommandHandler(SeedPresets)
export class SeedPresetsHandler implements ICommandHandler<SeedPresets> {
  constructor(private readonly publisher: PublishPresetHandler) {}

  async execute({ environment, at, options }: SeedPresets): Promise<SeededPresets> {
    const { table = presetTable, previews = packagePath('assets', 'presets'), restore = false } = options;
    const settled = await Promise.allSettled(
      table.map(async (row) => {
        const draft = { ...row, preview: await readFile(join(previews, `${row.id}.jpg`)) };
        const how = { keepRetired: !restore, restorePreview: restore };
        const command = new PublishPreset(seedingContext(environment, at), draft, how);
        const outcome = await this.publisher.execute(command);
        if (outcome.kind !== 'rejected') return outcome;
        throw new Error(
          `preset ${row.id} is a ${outcome.rejection.kind} in ${environment}, not a ${row.kind}`,
        );
      }),
    );
    // One failure does not stop the other presets. It is reported when all are done.
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
}

function seedingContext(environment: Environment, at: Date): CommandContext {
  const requestId = newId();
  const actor = 'saga:preset-seeding';
  return { environment, tenant: installation, commandId: requestId, requestId, actor, at };
}

export interface JpegSize {
  readonly width: number;
  readonly height: number;
}

/**
 * C0–CF are start-of-frame markers, except these for tables and arithmetic coding conditions (ITU-T T.81, table
 * B.1).
 */
const noFrame = new Set([0xc4, 0xc8, 0xcc]);

/**
 * The size in pixels from a JPEG's first frame header. The picture is not decoded: only the installation's own
 * pictures come here.
 * @throws RangeError if the bytes are not a JPEG
 */
export function jpegSize(bytes: Buffer): JpegSize {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) throw noJpeg();
  for (let offset = 2; offset + 9 <= bytes.length;) {
    if (bytes[offset] !== 0xff) throw noJpeg();
    // Within the buffer: the loop's condition leaves nine bytes.
    const marker = bytes[offset + 1]!;
    if (marker === 0xff) {
      // Markers may be padded with any number of these.
      offset += 1;
      continue;
    }
    if (marker >= 0xc0 && marker <= 0xcf && !noFrame.has(marker)) {
      const size = { height: bytes.readUInt16BE(offset + 5), width: bytes.readUInt16BE(offset + 7) };
      if (size.width === 0 || size.height === 0) throw noJpeg();
      return size;
    }
    offset += 2 + bytes.readUInt16BE(offset + 2);
  }
  throw noJpeg();
}

function noJpeg(): RangeError {
  return new RangeError('the picture is not a JPEG');
}
