import { createHash } from 'node:crypto';
import { accept, type Decision } from '#domain/decision.js';
import type { PresetEvent, PresetKind } from '#domain/preset/preset.events.js';
import {
  evolvePreset,
  initialPreset,
  publishPreset as decidePublish,
  retirePreset as decideRetire,
  type Preset,
  type PresetKindIsFixed,
  type PublishedPreset,
} from '#domain/preset/preset.js';
import { streamName } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import type { ObjectStorage } from '#storage/object-storage.js';
import { handle, load } from '../aggregate.js';
import type { CommandContext } from '../command-context.js';
import { jpegSize } from './jpeg-size.js';

/** A preset as it is to be, with its preview. */
export interface PresetDraft {
  readonly id: string;
  readonly kind: PresetKind;
  readonly label: string;
  readonly spec: Readonly<Record<string, unknown>>;
  /** JPEG. */
  readonly preview: Buffer;
}

export type PublishOutcome =
  | { readonly kind: 'published'; readonly position: bigint | undefined }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'rejected'; readonly rejection: PresetKindIsFixed };

const aggregate = { initial: initialPreset, evolve: evolvePreset };

export interface PublishOptions {
  /** One that the operator has retired stays so. */
  readonly keepRetired?: boolean;
  /** Stores the preview also when nothing has changed: it may have been lost. */
  readonly restorePreview?: boolean;
}

/**
 * Publishes a preset, or what has changed of it: the preview's bytes first, then the fact.
 * @throws RangeError when the preview is not a JPEG
 */
export async function publishPreset(
  store: EventStore,
  storage: ObjectStorage,
  context: CommandContext,
  draft: PresetDraft,
  { keepRetired = false, restorePreview = false }: PublishOptions = {},
): Promise<PublishOutcome> {
  const stream = streamName(context.environment, 'preset', draft.id);
  const preset = presetOf(draft, context.at);
  const decide = (state: Preset): Decision<PresetEvent, PresetKindIsFixed> =>
    keepRetired && state.status === 'retired' ? accept() : decidePublish(preset, state);
  const loaded = await load(store, stream, aggregate);
  const foreseen = decide(loaded.state);
  if (foreseen.kind === 'rejected') return foreseen;
  const changes = foreseen.events.length > 0;
  if (changes || restorePreview) {
    await storage.put(preset.image.storageKey, draft.preview, preset.image.contentType);
  }
  if (!changes) return { kind: 'unchanged' };
  const done = await handle(store, stream, aggregate, decide, context, loaded);
  return done.kind === 'rejected' ? done : { kind: 'published', position: done.position };
}

/** Takes a preset out of the lists. Jobs that were queued with it still render. */
export function retirePreset(store: EventStore, context: CommandContext, presetId: string, reason: string) {
  const stream = streamName(context.environment, 'preset', presetId);
  const command = { reason, at: context.at.toISOString() };
  return handle(store, stream, aggregate, (state) => decideRetire(command, state), context);
}

/** The key names the bytes as well, so that a job which was queued with an earlier preview finds that very one. */
function presetOf({ id, kind, label, spec, preview }: PresetDraft, at: Date): PublishedPreset {
  const sha256 = createHash('sha256').update(preview).digest('hex');
  const storageKey = `presets/${id}/${sha256.slice(0, 16)}.jpg`;
  const image = { storageKey, contentType: 'image/jpeg', ...jpegSize(preview), sha256 };
  return { presetId: id, kind, label, spec: { ...spec }, image, at: at.toISOString() };
}
