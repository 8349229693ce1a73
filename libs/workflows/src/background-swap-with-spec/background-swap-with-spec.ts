import type { Brief } from '@atelier/engine';
import { ListField, TextField } from '#validation/fields.js';
import { atLeastOneOf, Relations } from '#validation/relations.js';
import { sentences, type BriefFacts } from '../briefing.js';
import {
  dominantColours,
  exampleId,
  mood,
  OutputPresetField,
  sceneType,
  type OutputPreset,
} from '../common-fields.js';
import { defineWorkflow } from '../define-workflow.js';
import { looseSceneWords } from '../scene-words.js';
import { backgroundSwapBrief, sourceReferences, SwapSource } from '../swap-source.js';

@Relations(atLeastOneOf(['scene_type', 'mood', 'dominant_colors'], ': say what the new scene is'))
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
  output_preset?: OutputPreset;
}

export const backgroundSwapWithSpec = defineWorkflow({
  name: 'background-swap-with-spec',
  jobType: 'BACKGROUND_SWAP_WITH_SPEC',
  opClass: 'edit',
  credits: 5,
  summary: 'Cut the subject out and set it before a background that is drawn for it',
  body: BackgroundSwapWithSpecBody,
  examples: {
    render: { source_render_public_id: exampleId, scene_type: 'rooftop terrace', mood: 'calm' },
  },
  references: sourceReferences,
  brief: swapBrief,
});

function swapBrief({ body }: BriefFacts<BackgroundSwapWithSpecBody>): Brief {
  return backgroundSwapBrief(body, {
    words: sentences(
      'Edit image 1: replace its background with a new place. Change nothing else but the light on the subject.',
      looseSceneWords(body),
      'The place looks like a real, photographed one, with visible ground under the subject.',
    ),
    avoid: ['add other people'],
  });
}
