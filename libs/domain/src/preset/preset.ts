import { accept, reject, type Decision } from '../decision.js';
import type { EventOfType } from '../events.js';
import type { PresetEvent } from './preset.events.js';

export type PublishedPreset = EventOfType<'PresetPublished'>['data'];

/**
 * unpublished → published ⇄ retired. A retired preset is not listed and cannot be used; publishing restores it.
 */
export type Preset =
  | { readonly status: 'unpublished' }
  | { readonly status: 'published' | 'retired'; readonly preset: PublishedPreset };

export const initialPreset: Preset = { status: 'unpublished' };

export function evolvePreset(state: Preset, event: PresetEvent): Preset {
  switch (event.type) {
    case 'PresetPublished':
      return { status: 'published', preset: event.data };
    case 'PresetRetired':
      if (state.status === 'unpublished') throw new Error('a preset that was never published was retired');
      return { status: 'retired', preset: state.preset };
    default:
      return event satisfies never;
  }
}

/** Callers rely on the kind of a preset: a model never becomes a background. */
export interface PresetKindIsFixed {
  readonly code: 'PRESET_KIND_IS_FIXED';
  readonly kind: PublishedPreset['kind'];
}

export function publishPreset(
  command: PublishedPreset,
  state: Preset,
): Decision<PresetEvent, PresetKindIsFixed> {
  if (state.status !== 'unpublished' && state.preset.kind !== command.kind)
    return reject({ code: 'PRESET_KIND_IS_FIXED', kind: state.preset.kind });
  if (state.status === 'published' && isSame(state.preset, command)) return accept();
  return accept({ type: 'PresetPublished', data: { ...command } });
}

export function retirePreset(
  command: EventOfType<'PresetRetired'>['data'],
  state: Preset,
): Decision<PresetEvent, { readonly code: 'PRESET_NOT_FOUND' }> {
  switch (state.status) {
    case 'unpublished':
      return reject({ code: 'PRESET_NOT_FOUND' });
    case 'retired':
      return accept();
    case 'published':
      return accept({ type: 'PresetRetired', data: { ...command } });
    default:
      return state satisfies never;
  }
}

function isSame({ at: _then, ...one }: PublishedPreset, { at: _now, ...other }: PublishedPreset): boolean {
  return canonical(one) === canonical(other);
}

/** A store may return the members of a spec in another order. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([name], [other]) => (name < other ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`);
  return `{${members.join(',')}}`;
}
