import type { PresetKind } from '../preset/preset.events.js';

/** The resources of `GET /v1/catalog/{resource}`. */
export const catalogResources = ['models', 'backgrounds', 'garments', 'shots'] as const;

export type CatalogResource = (typeof catalogResources)[number];

/** The kinds of artifact that enter the catalogue once their job has succeeded. */
const resourceOfKind: ReadonlyMap<string, CatalogResource> = new Map<string, CatalogResource>([
  ['model_portrait', 'models'],
  ['model_full_body', 'models'],
  ['person', 'models'],
  ['background', 'backgrounds'],
  ['background_plate', 'backgrounds'],
  ['complementary_garment', 'garments'],
  ['garment', 'garments'],
  ['extracted_garment', 'garments'],
  ['photography_recipe', 'shots'],
]);

/** Undefined for a picture that is only a result and cannot be used in other jobs. */
export function resourceOf(artifactKind: string): CatalogResource | undefined {
  return resourceOfKind.get(artifactKind);
}

const resourceOfPresetKind: Readonly<Record<PresetKind, CatalogResource>> = {
  model: 'models',
  background: 'backgrounds',
  shot: 'shots',
};

/** Whether a catalogue entry of this kind can replace a preset. */
export function canReplacePreset(artifactKind: string, presetKind: PresetKind): boolean {
  return resourceOf(artifactKind) === resourceOfPresetKind[presetKind];
}
