import type { EventFamily } from '../event-family.js';

export type PresetKind = 'model' | 'background' | 'shot';

export const presetKinds: readonly PresetKind[] = ['model', 'background', 'shot'];

/** The stored events of `{env}.preset-{preset}`. Presets belong to the installation, not to a tenant. */
export type PresetEvent =
  | {
      type: 'PresetPublished';
      data: {
        presetId: string;
        kind: PresetKind;
        label: string;
        /** The recipe that the engine draws from. Never shown. */
        spec: Record<string, unknown>;
        /** The preview. An engine without recipes uses it as its picture. */
        image: { storageKey: string; contentType: string; width: number; height: number; sha256: string };
        at: string;
      };
    }
  | { type: 'PresetRetired'; data: { reason: string; at: string } };

export const presetFamily: EventFamily<'preset', PresetEvent> = {
  category: 'preset',
  owner: 'installation',
  idFields: { PresetPublished: 'presetId' },
  upcasters: {
    PresetPublished: [],
    PresetRetired: [],
  },
  personal: {
    // Presets belong to the installation, which shows them to every tenant.
    PresetPublished: {
      presetId: false,
      label: false,
      spec: false,
      image: { storageKey: false, contentType: false, sha256: false },
    },
    PresetRetired: { reason: false },
  },
};
