/*
 * The words that engines put into answers of the service. Callers branch on them, so each word is listed here,
 * in openapi.json, and in docs/guides/vocabulary.md with its meaning. Tests check that page and every engine
 * against these lists.
 */

/** The names of the stages in a job's timeline. */
export const stageNames = [
  ...(['croquis', 'composition', 'cloth', 'cut', 'regions', 'grouping'] as const),
  ...(['garment_cutout', 'garment_cutouts', 'item_cutouts', 'subject_cutout', 'garment_kept'] as const),
  ...(['figure', 'figure_posed', 'dressed', 'clothes', 'placed'] as const),
] as const;

export type StageName = (typeof stageNames)[number];

/** The kinds of pictures of a job. */
export const artifactKinds = [
  ...(['model_portrait', 'model_full_body', 'person'] as const),
  ...(['background', 'background_plate', 'photography_recipe'] as const),
  ...(['garment', 'extracted_garment', 'complementary_garment'] as const),
  ...(['try_on_render', 'look_render', 'on_model_render', 'catalog_image'] as const),
  ...(['model_swap', 'background_swap', 'grouping'] as const),
  ...(['croquis', 'composition', 'cloth_swatch', 'garment_pattern', 'region_map'] as const),
  ...(['garment_cutout', 'item_cutout', 'subject_cutout'] as const),
  ...(['figure', 'dressed_figure', 'dressed_layers', 'placed_figure'] as const),
] as const;

export type ArtifactKind = (typeof artifactKinds)[number];

/** The facts about a picture in its `meta` that callers see. */
export const metaKeys = [
  ...(['seed', 'aspect_ratio', 'resolution', 'provenance', 'evaluation'] as const),
  ...(['gender', 'ethnicity', 'heritage', 'body_type', 'age_range'] as const),
  ...(['skin_tone', 'hair', 'eye_colour', 'rendition', 'measured', 'person'] as const),
  ...(['scene', 'setting', 'topology', 'ground', 'light', 'palette', 'anchors'] as const),
  ...(['unknown_anchors', 'supported_crops', 'crops', 'floor_line', 'subject_height', 'subject_x'] as const),
  ...(['described_as', 'background_image_public_id', 'backdrop', 'method', 'reconstructed_share'] as const),
  ...(['garment', 'garment_category_public_id', 'category_key', 'category', 'slot', 'name'] as const),
  ...(['colour', 'primary_colour', 'material', 'pattern', 'garment_class', 'garment_classes'] as const),
  ...(['dominant_colour', 'dominant_colours', 'coverage', 'bounding_box', 'area_share', 'worn'] as const),
  ...(['garments', 'items', 'layers', 'regions', 'subject', 'subject_share'] as const),
  ...(['crop', 'placement', 'camera', 'camera_height', 'angle', 'pose', 'styling', 'framing'] as const),
  ...(['axis', 'member_indices', 'evidence', 'confidence', 'source', 'source_index'] as const),
  ...(['person_groups', 'location_groups', 'automatic'] as const),
  ...(['garment_image_asset_refs', 'model_preset_id', 'background_preset_id', 'shot_preset_id'] as const),
  ...(['product_title'] as const),
] as const;

/** An engine's own notes in `meta`, for reading its picture again: callers do not see them. */
export const innerMetaKeys = ['silhouettes', 'view', 'wearer'] as const;

export type MetaKey = (typeof metaKeys)[number];

/** The known facts about a picture beside its pixels. */
export type PictureMeta = { readonly [Key in MetaKey | (typeof innerMetaKeys)[number]]?: unknown };

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
