import { describe, expect, it } from 'vitest';
import { workflows } from '#workflows/workflows.js';
import { bodySchema, resolve, type Schema } from './body-schemas.js';

/*
 * The bounds as the specification and section 8 of the design give them; where both are silent, the bounds are
 * our decision. `!` means required, `a..b` counts characters, items or values, `|` separates the values of an
 * enumeration. The other specs take the bounds from openapi.json; this one proves that openapi.json has the
 * right ones.
 */
const common = {
  image_model: 'string 1..64',
  eval_enabled: 'boolean',
  resolution: '1K|2K|4K',
  aspect_ratio: '1:1|2:3|3:2|3:4|4:3|4:5|5:4|9:16|16:9',
  seed: 'integer -2147483648..4294967295',
  on_technical_failure: 'refund|retry',
  display_name: 'string ..1000',
  metadata: 'free object',
  pilot_brand: 'string ..128',
};
const outputPreset = 'square|portrait|story|landscape';
const storageKey = 'string 1..512';
const items = {
  items: 'array! 1..6',
  'items[]': 'object',
  'items[].trial_image': 'id!',
  'items[].trial_item_category': 'top|bottom|one_piece|outerwear|footwear|bag|headwear|accessory!',
};
const scene = {
  scene_type: 'string 1..200',
  mood: 'string 1..200',
  dominant_colors: 'array ..8',
  'dominant_colors[]': 'string 1..64',
};
const productToModel = {
  ...common,
  product_image_s3_key: storageKey,
  product_id: 'id',
  model_image_public_id: 'id',
  background_image_public_id: 'id',
  output_preset: outputPreset,
};
const source = {
  source_image_s3_key: storageKey,
  source_render_public_id: 'id',
  pilot_brand: 'string ..128',
};
const garmentWords = {
  material: 'string 1..100',
  pattern: 'string 1..100',
  fit: 'slim|regular|loose',
  length: 'string 1..80',
};

const under = (prefix: string, fields: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).map(([name, bound]) => [`${prefix}.${name}`, bound]));

const choiceOf = (name: string, presets: string) => ({
  [`authoring.${name}`]: 'object!',
  [`authoring.${name}.preset`]: `${presets}!`,
  [`authoring.${name}.custom_text`]: 'string 3..240',
});
const presetOrCustom = { preset: 'string! 1..80', custom_text: 'string 1..120' };
const groups = (axis: string) => ({
  [`grouping.${axis}`]: 'array ..10',
  [`grouping.${axis}[]`]: 'object',
  [`grouping.${axis}[].member_indices`]: 'array! ..10',
  [`grouping.${axis}[].member_indices[]`]: 'integer 0..9',
  [`grouping.${axis}[].confidence`]: 'number 0..1',
  [`grouping.${axis}[].evidence`]: 'string ..2000',
});

const specified: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'try-on': { ...common, user_image: 'id!', ...items, output_preset: outputPreset },
  'model-generator': {
    ...common,
    generation_stage: 'portrait|full_body',
    gender: 'MALE|FEMALE',
    ethnicity:
      'indian|pakistani_bangladeshi|sri_lankan_nepali|east_asian|southeast_asian|middle_eastern|central_asian|' +
      'north_african|west_african|east_african|southern_african|black_diaspora|afro_caribbean|northern_european|' +
      'southern_european|eastern_european|latin_american|indigenous_american|pacific_islander|mixed_heritage',
    heritage:
      'himalayan_north|punjabi_northwest|gangetic_central|western_coastal|eastern_bengali|south_indian',
    body_type: 'slim|athletic|balanced|fuller',
    age_range: '18-22|22-26|26-30|30-34|34-40',
    model_spec_public_id: 'id',
    portrait_image_public_id: 'id',
  },
  'background-generator': {
    ...common,
    ...scene,
    background_public_id: 'id',
    authoring: 'object',
    ...under('authoring', {
      display_name: 'string! 1..128',
      setting: 'studio_set|indoor_location|outdoor_location!',
      photographic_register: 'real_photo|film_photo|studio_set|render!',
      supported_crops: 'array! 1..3',
      'supported_crops[]': 'full|three_quarter|torso',
      palette: 'array! 1..3',
      'palette[]': 'string 1..64',
      scene_anchors: 'array! 2..4',
      'scene_anchors[]': 'string 1..120',
      surface_character: 'string 3..240',
    }),
    ...choiceOf(
      'topology',
      'seamless_sweep|shallow_wall|rear_plane_room|courtyard_veranda|street_path|textile_installation|open_location|custom',
    ),
    ...choiceOf(
      'subject_zone',
      'near_rear_plane|framed_between_sides|shallow_patio|receding_path|central_open|custom',
    ),
    ...choiceOf('ground', 'seamless|stone_paving|plaster_tile|wood|earth_grass|custom'),
    ...choiceOf(
      'light',
      'soft_frontal|soft_side_daylight|overcast|warm_directional_sun|quiet_low_key|custom',
    ),
  },
  'complementary-garment-generator': {
    ...common,
    garment_category_public_id: 'id!',
    authoring: 'object',
    ...under('authoring', {
      primary_colour: 'string! 1..80',
      material: 'string! 1..100',
      pattern: 'string 1..100',
      form: 'object',
      ...under('form', presetOrCustom),
      length: 'object',
      ...under('length', presetOrCustom),
      distinctive_details: 'array ..3',
      'distinctive_details[]': 'object',
      ...under('distinctive_details[]', presetOrCustom),
      creative_direction: 'string 1..280',
    }),
    attributes: 'object',
    ...under('attributes', { colour: 'string 1..80', ...garmentWords }),
    color: 'string 1..80',
    ...garmentWords,
  },
  'product-to-model-direct': productToModel,
  'product-to-model-phased': productToModel,
  'background-swap-with-image': {
    ...source,
    background_image_public_id: 'id!',
    output_preset: outputPreset,
  },
  'background-swap-with-spec': {
    ...source,
    ...scene,
    dominant_colors: 'array 1..8',
    output_preset: outputPreset,
  },
  'model-swap-with-image': { ...source, model_image_public_id: 'id!', output_preset: `${outputPreset}!` },
  extract: {
    trial_image: 'string! 1..512',
    runtime_config: 'free object',
    extraction_context: 'object',
    ...under('extraction_context', {
      max_items: 'integer 1..8',
      product_name: 'string 1..200',
      product_description: 'string 1..2000',
    }),
  },
  look: {
    ...common,
    model_image_public_id: 'id!',
    ...items,
    background_image_public_id: 'id',
    output_preset: outputPreset,
  },
  'catalog-shots': {
    garment_image_asset_refs: 'array! 1..16',
    'garment_image_asset_refs[]': 'id',
    product_title: 'string! 1..256',
    model_preset_id: 'id!',
    background_preset_id: 'id!',
    shot_preset_id: 'id!',
    model: 'string 1..64',
    quality: 'medium|high',
  },
  'pdp-extractions': { pdp_image_public_id: 'id!', product_name: 'string 1..200' },
  'pdp-batch-extractions': {
    photos: 'array! 1..10',
    'photos[]': 'object',
    'photos[].pdp_image_public_id': 'id!',
    'photos[].product_name': 'string 1..200',
    grouping: 'object',
    ...groups('person_groups'),
    ...groups('location_groups'),
  },
};

/**
 * Beyond the specification: the person whom a body or a photograph of a batch is about, for how long it is kept, and how
 * the files of its pictures are.
 */
const [dataSubject, retainDays] = ['string 1..128', 'integer 1..3650'];
const ofPhotographs: Readonly<Record<string, string>> = {
  'photos[].data_subject': dataSubject,
  'photos[].retain_days': retainDays,
};

describe.each(Object.keys(specified))('the body of %s', (workflow) => {
  it('has the fields and the bounds of the specification', () => {
    const further = workflow === 'pdp-batch-extractions' ? ofPhotographs : {};
    const files = { output_format: 'png|jpeg|webp|avif', max_bytes: 'integer 50000..26214400' };
    const common = { data_subject: dataSubject, retain_days: retainDays, ...files };
    const expected = { ...specified[workflow], ...common, ...further };
    expect(boundsOf(bodySchema(workflow))).toEqual(expected);
  });
});

describe.each(workflows.map(({ name }) => name))('the body of %s', (workflow) => {
  it('is closed to unknown fields at every depth', () => {
    expect(openObjects(bodySchema(workflow))).toEqual([]);
  });
});

/** The bounds of every field by its path, in the notation of the table above. */
function boundsOf(schema: Schema, prefix = ''): Record<string, string> {
  const bounds: Record<string, string> = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const required = schema.required?.includes(name) ?? false;
    Object.assign(bounds, boundsAt(`${prefix}${name}`, property, required));
  }
  return bounds;
}

function boundsAt(path: string, property: Schema, required: boolean): Record<string, string> {
  const { schema } = resolve(property);
  return {
    [path]: told(schema, required ? '!' : ''),
    ...(schema.items ? boundsAt(`${path}[]`, schema.items, false) : {}),
    ...boundsOf(schema, `${path}.`),
  };
}

function told(schema: Schema, mark: string): string {
  if (schema.enum) return schema.enum.join('|') + mark;
  if (schema.pattern !== undefined) return `id${mark}`;
  switch (schema.type) {
    case 'string':
      return `string${mark} ${schema.minLength ?? ''}..${schema.maxLength}`;
    case 'array':
      return `array${mark} ${schema.minItems ?? ''}..${schema.maxItems}${schema.uniqueItems ? ' unique' : ''}`;
    case 'integer':
    case 'number':
      return `${schema.type}${mark} ${schema.minimum}..${schema.maximum}`;
    case 'object':
      return `${schema.properties ? '' : 'free '}object${mark}`;
    default:
      return `${String(schema.type)}${mark}`;
  }
}

/** Objects with fields of their own that leave room for others. */
function openObjects(schema: Schema, path = 'body'): string[] {
  const own = schema.properties && schema.additionalProperties !== false ? [path] : [];
  const parts = [
    ...Object.entries(schema.properties ?? {}),
    ...(schema.items ? [['[]', schema.items] as const] : []),
  ];
  return [...own, ...parts.flatMap(([name, part]) => openObjects(resolve(part).schema, `${path}.${name}`))];
}
