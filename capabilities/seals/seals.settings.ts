import type { SettingsReader } from '#platform/configuration.js';
import { readSealKey, type SealKey } from './seal.key.js';

/** How history is sealed. */
interface Sealing {
  /** Undefined if history is not sealed. */
  readonly key: SealKey | undefined;
  /**
   * Where seals are written besides the event log: `log` writes each one into the projector's log, `objects` keeps the
   * newest in the object store.
   */
  readonly keepIn: readonly SealPlace[];
}

export interface SealSettings {
  readonly sealing: Sealing;
}

export type SealPlace = 'log' | 'objects';

export function readSealSettings(settings: SettingsReader): SealSettings {
  const keepIn = settings.parsed('ATELIER_SEAL_KEEP', parseSealPlaces, usualPlaces);
  const text = settings.text('ATELIER_SEAL_KEY', '') || undefined;
  try {
    return { sealing: { keepIn, key: text === undefined ? undefined : readSealKey(text) } };
  } catch (error) {
    // readSealKey throws TypeErrors, which do not repeat the text.
    settings.problems.push(`ATELIER_SEAL_KEY ${(error as TypeError).message}`);
    return { sealing: { keepIn, key: undefined } };
  }
}

const usualPlaces: SealPlace[] = ['objects'];
const sealPlaces: readonly string[] = ['log', 'objects'] satisfies SealPlace[];

function parseSealPlaces(text: string): SealPlace[] | string {
  const places = text.split(',').map((each) => each.trim());
  const wrong = places.find((each) => !sealPlaces.includes(each));
  // The check above found that each value is a place.
  return wrong === undefined
    ? (places as SealPlace[])
    : `must be log, objects or both with a comma, not "${wrong}"`;
}
