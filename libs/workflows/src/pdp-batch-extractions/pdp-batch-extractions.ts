import { integer, ListField, nested, NestedField, NumberField, TextField } from '#validation/fields.js';
import type { FieldProblem } from '#validation/validate.js';
import { exampleId } from '../common-fields.js';
import { defineWorkflow, noName } from '../define-workflow.js';
import { PdpExtractionsBody } from '../pdp-extractions/pdp-extractions.js';

const mostPhotos = 10;

/** One photograph of a batch. */
export class PdpPhoto extends PdpExtractionsBody {}

/** Photographs that share something. */
export class AxisGroup {
  @ListField({
    description: 'Which ones, as indices into `photos` from 0 on.',
    required: true,
    max: mostPhotos,
    items: integer({ min: 0, max: mostPhotos - 1 }),
    example: [0, 1],
  })
  member_indices: number[];

  @NumberField({ description: 'How sure you are.', min: 0, max: 1, default: 1 })
  confidence: number = 1;

  @TextField({ description: 'Why you think so; not interpreted.', max: 2000, default: '' })
  evidence: string = '';
}

export class PdpGrouping {
  @ListField({
    description: 'Photographs that share a model.',
    max: mostPhotos,
    default: [],
    items: nested(AxisGroup),
  })
  person_groups: AxisGroup[] = [];

  @ListField({
    description: 'Photographs that share a location.',
    max: mostPhotos,
    default: [],
    items: nested(AxisGroup),
  })
  location_groups: AxisGroup[] = [];
}

export class PdpBatchExtractionsBody {
  @ListField({
    description: 'The photographs of one shoot. Each one is charged, and becomes a job of its own.',
    required: true,
    min: 1,
    max: mostPhotos,
    items: nested(PdpPhoto),
  })
  photos: PdpPhoto[];

  @NestedField({
    description: 'What the photographs share. It replaces the automatic grouping and is taken at face value.',
    shape: PdpGrouping,
  })
  grouping?: PdpGrouping;
}

export const pdpBatchExtractions = defineWorkflow({
  name: 'pdp-batch-extractions',
  jobType: 'PDP_BATCH_EXTRACTION',
  opClass: 'extract',
  credits: 4,
  summary: 'The same for up to ten photographs of one shoot',
  body: PdpBatchExtractionsBody,
  examples: {
    automatic: { photos: [{ pdp_image_public_id: exampleId, product_name: 'Linen midi skirt' }] },
    grouped: {
      photos: [{ pdp_image_public_id: exampleId }, { pdp_image_public_id: '01K9Z7J0V6X8Y2Z4A6B8C0D2EF' }],
      grouping: { person_groups: [{ member_indices: [0, 1], confidence: 0.9 }], location_groups: [] },
    },
  },
  references: [{ field: 'photos[].pdp_image_public_id', by: 'picture', input: 'photo' }],
  batch: { field: 'photos', workflow: 'pdp-extractions' },
  problems: indicesOutside,
  coinName: noName,
});

/** An index can only be judged beside the photographs that there are. */
function indicesOutside({ photos, grouping }: PdpBatchExtractionsBody): FieldProblem[] {
  if (!grouping) return [];
  return (['person_groups', 'location_groups'] as const).flatMap((axis) =>
    grouping[axis].flatMap(({ member_indices: members }, group) =>
      members.flatMap((member, index): FieldProblem[] => {
        if (member < photos.length) return [];
        const loc = ['body', 'grouping', axis, group, 'member_indices', index];
        const msg = `is outside of photos, whose last index is ${photos.length - 1}`;
        return [{ loc, msg, type: 'value' }];
      }),
    ),
  );
}
