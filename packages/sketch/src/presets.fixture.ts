/** A few of the service's presets. A preset's spec is the meta of an input. */
export const presets = [
  {
    id: '01KDVDNA0033KV7VSJM53RAASK',
    kind: 'model',
    label: 'Freya',
    spec: {
      seed: 30,
      gender: 'FEMALE',
      ethnicity: 'northern_european',
      body_type: 'slim',
      age_range: '22-26',
    },
  },
  {
    id: '01KDVDNAZ8RGNPCSGVYJZX6K1P',
    kind: 'model',
    label: 'Adaeze',
    spec: {
      seed: 41,
      gender: 'FEMALE',
      ethnicity: 'west_african',
      body_type: 'athletic',
      age_range: '22-26',
    },
  },
  {
    id: '01KDVDNBYG8AK45H7TTGDVENH9',
    kind: 'model',
    label: 'Hana',
    spec: {
      seed: 32,
      gender: 'FEMALE',
      ethnicity: 'east_asian',
      body_type: 'slim',
      age_range: '18-22',
    },
  },
  {
    id: '01KDVDNCXRTR95GJ5TS5QR4038',
    kind: 'model',
    label: 'Ananya',
    spec: {
      seed: 23,
      gender: 'FEMALE',
      ethnicity: 'indian',
      body_type: 'balanced',
      age_range: '26-30',
    },
  },
  {
    id: '01KDVDNQNG8T8GKBE4E4AFFEEM',
    kind: 'background',
    label: 'Plaster wall',
    spec: {
      scene: {
        display_name: 'Plaster wall',
        setting: 'studio_set',
        photographic_register: 'film_photo',
        topology: {
          preset: 'shallow_wall',
        },
        subject_zone: {
          preset: 'near_rear_plane',
        },
        supported_crops: ['full', 'three_quarter', 'torso'],
        ground: {
          preset: 'plaster_tile',
        },
        light: {
          preset: 'soft_side_daylight',
        },
        palette: ['#e6ddd0', '#cbbca8', '#9f8c75'],
        scene_anchors: ['tall window', 'wooden bench'],
        surface_character: 'Hand-trowelled lime plaster with a soft sheen.',
        seed: 303,
      },
    },
  },
  {
    id: '01KDVDNZFGYP14NWHFGZNSX3XC',
    kind: 'shot',
    label: 'Full length, frontal',
    spec: {
      framing: 'full',
      camera_height: 'chest',
      angle: 'front',
      pose: 'relaxed',
      light: {
        direction: 'front',
        contrast: 0.25,
        colour_temperature: 5600,
      },
      crop: {},
    },
  },
  {
    id: '01KDVDP4BRH1X042FBJ5BPPRYG',
    kind: 'shot',
    label: 'Half length, soft light',
    spec: {
      framing: 'half',
      camera_height: 'eye',
      angle: 'front',
      pose: 'relaxed',
      light: {
        direction: 'front',
        contrast: 0.2,
        colour_temperature: 5600,
      },
      crop: {},
    },
  },
];

export const presetOf = (kind: string, label: string): (typeof presets)[number] => {
  const found = presets.find((one) => one.kind === kind && one.label === label);
  if (!found) throw new Error(`no ${kind} ${label}`);
  return found;
};
