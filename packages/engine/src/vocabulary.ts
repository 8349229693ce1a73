/*
 * The words that engines put into answers of the service, each with its meaning. Callers branch on them.
 * `npm run generate` writes them into openapi.json and into docs/guides/vocabulary.md, and the tasks into
 * docs/engines.md. Tests check every engine against these tables.
 */

function wordsIn<Table extends object>(table: Table): readonly (keyof Table & string)[] {
  // `Object.keys` forgets the type of the keys.
  return Object.keys(table) as (keyof Table & string)[];
}

/** The stages in a job's timeline, each with the step that is finished. */
export const stages = {
  croquis: 'The figure of a model is sketched.',
  composition: "A background's composition is ready.",
  cloth: 'The cloth of a garment is woven or printed.',
  cut: 'The pattern of a garment is drawn.',
  regions: 'The person, the garment and the background of a photograph are separated.',
  grouping: 'The photographs of a batch that share a person or a place are found.',
  garment_cutout: 'The garment is cut out of its photograph.',
  garment_cutouts: 'Several garments are cut out.',
  item_cutouts: 'The pieces of an outfit are cut out.',
  subject_cutout: 'The person or product is cut out of its photograph.',
  garment_kept: 'The clothes are separated from their wearer.',
  figure: 'The new person stands in the picture.',
  figure_posed: 'The person has taken the pose.',
  dressed: 'The person wears the garment.',
  clothes: 'The person wears the clothes, before shoes, bag, hat and jewellery.',
  placed: 'The dressed person stands in the place.',
} as const;

export type StageName = keyof typeof stages;

export const stageNames = wordsIn(stages);

/** The kinds of pictures of a job, each with its content. */
export const pictureKinds = {
  model_portrait: "A model's face and shoulders: `/v1/catalog/models`.",
  model_full_body: 'A model from head to feet: `/v1/catalog/models`.',
  person: 'The person of a photograph, as a model: `/v1/catalog/models`.',
  background: 'A place to photograph in: `/v1/catalog/backgrounds`.',
  background_plate: 'The empty place of a photograph: `/v1/catalog/backgrounds`.',
  photography_recipe: 'How a photograph was taken: `/v1/catalog/shots`.',
  garment: 'The product of a photograph, alone: `/v1/catalog/garments`.',
  extracted_garment: 'A garment that was cut out: `/v1/catalog/garments`.',
  complementary_garment: 'A garment made to go with others: `/v1/catalog/garments`.',
  try_on_render: 'A person in the clothes of a try-on.',
  look_render: 'A model in a whole outfit.',
  on_model_render: 'A product on a model.',
  catalog_image: 'A catalogue shot.',
  model_swap: 'The same clothes on another person.',
  background_swap: 'The same person or product in another place.',
  grouping: 'The photographs of a batch, and what they share.',
  croquis: 'On the way: the sketch of a figure.',
  composition: 'On the way: the composition of a background.',
  cloth_swatch: 'On the way: the cloth of a garment.',
  garment_pattern: 'On the way: the cut of a garment.',
  region_map: 'On the way: the regions found in a photograph.',
  garment_cutout: 'On the way: a garment on transparent ground.',
  item_cutout: 'On the way: a piece of an outfit on transparent ground.',
  subject_cutout: 'On the way: a person or product on transparent ground.',
  figure: 'On the way: the person, before dressing.',
  dressed_figure: 'On the way: the person, dressed.',
  dressed_layers: 'On the way: the person in clothes, before the last touches.',
  placed_figure: 'On the way: the person in the place.',
} as const;

export type ArtifactKind = keyof typeof pictureKinds;

export const artifactKinds = wordsIn(pictureKinds);

/** The facts about a picture in its `meta` that callers see. */
export const metaFacts = {
  seed: 'The seed of the picture.',
  aspect_ratio: 'As ordered, or the default.',
  resolution: 'As ordered, or `1K`.',
  encoding:
    'With `output_format`: the type, the bytes and the quality of the file, and its sides as a share of the drawn ones.',
  provenance: 'The image model, and the IPTC digital source type.',
  evaluation: 'Measures of the picture: sharpness, exposure, contrast, colourfulness.',
  gender: "The person's, as in the body of a model.",
  ethnicity: "The person's.",
  heritage: "The person's.",
  body_type: "The person's.",
  age_range: "The person's.",
  skin_tone: "The person's, as a colour.",
  hair: 'Its colour, texture and style.',
  eye_colour: "The person's.",
  rendition: 'How a person of a photograph was drawn.',
  measured: 'The measurements of the person in the photograph.',
  person: 'All facts about the person; in a region map, whether there is a person.',
  scene: 'The place, in the fields of `authoring`.',
  setting:
    '`studio_set`, `indoor_location`, `outdoor_location`; for a photograph `plain_studio` or `location`.',
  topology: 'The form of the place.',
  ground: 'The floor of the place, or its colours.',
  light: 'Its direction, contrast and colour temperature, or its name.',
  palette: 'The colours of the place.',
  anchors: 'The objects of the scene that were drawn.',
  unknown_anchors: 'The objects that were drawn as plain ones, because their words are unknown.',
  supported_crops: 'The crops that the background was ordered for.',
  crops: 'The place of each crop in the picture.',
  floor_line: 'Where the floor begins, in shares of the height.',
  subject_height: 'How tall a person would be there, in shares of the height.',
  subject_x: 'Where a person would stand, in shares of the width.',
  described_as: 'The place, in the words of the order.',
  background_image_public_id: 'The background of the order.',
  backdrop: 'The background behind the person.',
  method: 'How the area behind the subject was filled.',
  reconstructed_share: 'How much of the plate was filled, 0 to 1.',
  garment: 'The garment in the fields of its order.',
  garment_category_public_id: 'Its category, of `GET /v1/garment-categories`.',
  category_key: "The category's key.",
  category: 'The piece of an outfit, as in `trial_item_category`.',
  slot: 'Where it is worn.',
  name: "The piece of an outfit, by its place in the request's list: `item-0`.",
  colour: "The cloth's colour.",
  primary_colour: 'The main colour.',
  material: 'In words.',
  pattern: 'In words.',
  garment_class: 'The coarse form: top, outerwear, dress, skirt, trousers, shorts.',
  garment_classes: 'The same for several garments.',
  dominant_colour: 'The most frequent colour.',
  dominant_colours: 'The most frequent colours.',
  coverage: 'How much of its picture the cut-out fills, 0 to 1.',
  bounding_box: 'Left, top, right and bottom in the photograph, each 0 to 1.',
  area_share: 'How much of the photograph it fills, 0 to 1.',
  worn: 'Whether a person wears it.',
  garments: 'Each garment of the picture.',
  items: 'Each piece of the outfit.',
  layers: 'The layers of clothing, from the skin outward.',
  regions: 'The regions found in the photograph: slot, tint on the map, share.',
  subject: '`person` or `product`.',
  subject_share: 'How much of the photograph the subject fills, 0 to 1.',
  crop: 'In a recipe: how much of the person is shown.',
  placement: 'In a recipe: the distance from the middle, and the room above the person.',
  camera: "In a recipe: the camera's height and angle, and the height of the frame in heads.",
  camera_height: 'In a recipe: `low`, `waist`, `chest`, `eye`, `high`.',
  angle: 'In a recipe: `front`, `slight_left`, `slight_right`, `overhead`.',
  pose: 'In a recipe: the pose.',
  styling: 'In a recipe: the clothes and their styling.',
  framing: 'How much of the person is shown.',
  axis: '`person` or `location`: the thing that photographs of a batch share.',
  member_indices: 'The photographs that share it, from 0 on.',
  evidence: 'The evidence that they share it.',
  confidence: 'The confidence in it, 0 to 1.',
  source: '`measured` in the photograph, or `known` from the picture itself.',
  source_index: 'The photograph that it was taken from.',
  person_groups: 'Groups of photographs that share a person.',
  location_groups: 'Groups of photographs that share a place.',
  automatic: 'Whether the grouping was measured instead of given.',
  garment_image_asset_refs: 'In a catalogue shot: as ordered.',
  model_preset_id: 'In a catalogue shot: as ordered.',
  background_preset_id: 'In a catalogue shot: as ordered.',
  shot_preset_id: 'In a catalogue shot: as ordered.',
  product_title: 'In a catalogue shot: as ordered.',
} as const;

export type MetaKey = keyof typeof metaFacts;

export const metaKeys = wordsIn(metaFacts);

/** An engine's own notes in `meta`, for reading its picture again: callers do not see them. */
export const innerMetaKeys = ['silhouettes', 'view', 'wearer'] as const;

/** The known facts about a picture beside its pixels. */
export type PictureMeta = { readonly [Key in MetaKey | (typeof innerMetaKeys)[number]]?: unknown };

/**
 * The tasks of steps, each with the picture that it makes: for models that do only one thing, and for graphs
 * that an operator maps.
 */
export const briefTasks = {
  try_on: 'A person wears given clothes.',
  product_to_model: 'A person wears a product.',
  model_swap: 'Another person wears the same clothes.',
  background_swap: 'The same subject is in another place.',
  model_portrait: "A model's face and shoulders.",
  model_full_body: 'A model from head to feet.',
  background: 'A place to photograph in.',
  garment: 'A garment that goes with others.',
  garment_cutout: 'One garment of a photograph, alone.',
  catalog_shot: 'A whole outfit or product in a catalogue photograph.',
  empty_plate: 'The place of a photograph, without its subject.',
} as const;

export type BriefTask = keyof typeof briefTasks;

/** The steps of a brief. A step without a result is a failed arm. */
export const stepNames = [
  ...(['portrait', 'full_body', 'background', 'garment', 'garments', 'try_on', 'look', 'on_model'] as const),
  ...(['dressed', 'placed', 'catalog_shot', 'model_swap', 'background_swap'] as const),
  ...(['photograph', 'person', 'recipe', 'grouping'] as const),
] as const;

/** A brief may have several of these steps, counted from 1. */
export const countedSteps = ['garment', 'person', 'location'] as const;

export type StepName = (typeof stepNames)[number] | `${(typeof countedSteps)[number]}_${number}`;

/**
 * A part of a job that has no result. `test` stands for the part that a test outcome leaves out of a job
 * without parts.
 */
export type ArmName = StepName | 'test';

/** Every {@link ArmName}, as a regular expression. */
export const armPattern = `(?:${[...stepNames, 'test'].join('|')}|(?:${countedSteps.join('|')})_[1-9][0-9]*)`;

/** The reason why a part of a job has no result. */
export const partFailureCodes = [
  ...(['NO_GARMENT_FOUND', 'NO_PERSON_FOUND', 'NO_BACKGROUND_FOUND', 'NO_SUBJECT_FOUND'] as const),
  ...(['VISION_MODEL_REQUIRED', 'TEST_OUTCOME'] as const),
  ...(['ENGINE_BAD_INPUT', 'ENGINE_POLICY', 'ENGINE_NO_IMAGE'] as const),
] as const;

export type PartFailureCode = (typeof partFailureCodes)[number];
