import type { PresetKind } from '../preset/preset.events.js';

/** What `GET /v1/catalog/{resource}` lists. */
export const catalogResources = ['models', 'backgrounds', 'garments', 'shots'] as const;

export type CatalogResource = (typeof catalogResources)[number];

/** The kinds of artifact that belong in the catalogue once the job that made them has succeeded. */
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

/** Undefined for a picture that is a result and no building block for others. */
export function resourceOf(artifactKind: string): CatalogResource | undefined {
  return resourceOfKind.get(artifactKind);
}

const resourceOfPresetKind: Readonly<Record<PresetKind, CatalogResource>> = {
  model: 'models',
  background: 'backgrounds',
  shot: 'shots',
};

/** Whether a catalogue entry of this kind can stand where a preset is asked for. */
export function canReplacePreset(artifactKind: string, presetKind: PresetKind): boolean {
  return resourceOf(artifactKind) === resourceOfPresetKind[presetKind];
}
