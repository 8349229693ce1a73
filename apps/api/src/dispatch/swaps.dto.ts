import type { FieldProblem } from '#validation/validate.js';
import { IdField, ListField, TextField } from '#validation/fields.js';
import { dominantColours, mood, sceneType } from './background-generator.dto.js';
import {
  exampleStorageKey,
  longestStorageKey,
  OutputPresetField,
  PilotBrandField,
} from './common-fields.dto.js';
import { exactlyOne } from './field-relations.js';

class SwapSource {
  @TextField({
    description:
      'The picture: the `upload_key` of an upload, or the `s3_key` of an artifact. ' +
      'Exactly one of this and source_render_public_id.',
    min: 1,
    max: longestStorageKey,
    example: exampleStorageKey,
  })
  source_image_s3_key?: string;

  @IdField({ description: 'The picture: the job that made it. Exactly one of this and source_image_s3_key.' })
  source_render_public_id?: string;

  @PilotBrandField()
  pilot_brand?: string;
}

export class BackgroundSwapWithImageBody extends SwapSource {
  @IdField({
    description: 'The new scene: an uploaded asset, a catalogue entry, or the job that made the picture.',
    required: true,
  })
  background_image_public_id: string;

  @OutputPresetField({ otherwise: "; the source's own when absent" })
  output_preset?: string;
}

export class BackgroundSwapWithSpecBody extends SwapSource {
  @TextField({
    ...sceneType,
    description: 'What the new scene is. At least one of this, mood and dominant_colors.',
  })
  scene_type?: string;

  @TextField(mood)
  mood?: string;

  @ListField({ ...dominantColours, min: 1 })
  dominant_colors?: string[];

  @OutputPresetField({ otherwise: "; the source's own when absent" })
  output_preset?: string;
}

export class ModelSwapWithImageBody extends SwapSource {
  @IdField({
    description: 'The new person: an uploaded asset, a catalogue entry, or the job that made the picture.',
    required: true,
  })
  model_image_public_id: string;

  @OutputPresetField({ required: true })
  output_preset: string;
}

export function swapProblems(body: SwapSource): FieldProblem[] {
  return exactlyOne(body, 'source_image_s3_key', 'source_render_public_id');
}

export function swapWithSpecProblems(body: BackgroundSwapWithSpecBody): FieldProblem[] {
  const { scene_type: scene, mood: feeling, dominant_colors: colours } = body;
  const problems = swapProblems(body);
  if (scene !== undefined || feeling !== undefined || colours !== undefined) return problems;
  const msg = 'or mood or dominant_colors is required: say what the new scene is';
  return [...problems, { loc: ['body', 'scene_type'], msg, type: 'missing' }];
}
