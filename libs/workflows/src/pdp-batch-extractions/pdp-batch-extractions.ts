import type { Brief, BriefStep } from '@atelier/engine';
import { integer, ListField, nested, NestedField, NumberField, TextField } from '#validation/fields.js';
import { Relations, type Relation } from '#validation/relations.js';
import type { FieldProblem } from '#validation/validate.js';
import { input, isKnown, sentences, type BriefFacts, type Known } from '../briefing.js';
import { DispatchBody, exampleId, JobBody } from '../common-fields.js';
import { defineWorkflow } from '../define-workflow.js';
import {
  personOrder,
  PhotographField,
  plateOrder,
  ProductNameField,
} from '../pdp-extractions/pdp-extractions.js';
import { strictObject } from '../shot-words.js';

const mostPhotos = 10;

/** One photograph of a batch. Its pictures have the format that the batch orders, as they share some. */
export class PdpPhoto extends JobBody {
  @PhotographField()
  pdp_image_public_id: string;

  @ProductNameField()
  product_name?: string;
}

/** Photographs that share something. */
export class AxisGroup {
  @ListField({
    description: 'The photographs, as indices into `photos`, from 0.',
    required: true,
    max: mostPhotos,
    items: integer({ min: 0, max: mostPhotos - 1 }),
    example: [0, 1],
  })
  member_indices: number[];

  @NumberField({ description: 'How sure you are.', min: 0, max: 1, default: 1 })
  confidence: number = 1;

  @TextField({ description: 'Your reason; not interpreted.', max: 2000, default: '' })
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

/** An index is only valid in relation to the number of photographs. */
const indicesInside: Relation<PdpBatchExtractionsBody> = {
  fields: ['photos', 'grouping'],
  problems({ photos, grouping }, place) {
    if (!grouping) return [];
    return (['person_groups', 'location_groups'] as const).flatMap((axis) =>
      grouping[axis].flatMap(({ member_indices: members }, group) =>
        members.flatMap((member, index): FieldProblem[] => {
          if (member < photos.length) return [];
          const loc = [...place, 'grouping', axis, group, 'member_indices', index];
          const msg = `is outside of photos, whose last index is ${photos.length - 1}`;
          return [{ loc, msg, type: 'value' }];
        }),
      ),
    );
  },
};

@Relations(indicesInside)
export class PdpBatchExtractionsBody extends DispatchBody {
  @ListField({
    description: 'The photographs of one shoot. Each one is charged, and becomes a job of its own.',
    required: true,
    min: 1,
    max: mostPhotos,
    items: nested(PdpPhoto),
  })
  photos: PdpPhoto[];

  @NestedField({
    description: 'The groups of photographs. They replace the automatic grouping and are not checked.',
    shape: PdpGrouping,
  })
  grouping?: PdpGrouping;
}

export const pdpBatchExtractions = defineWorkflow({
  name: 'pdp-batch-extractions',
  jobType: 'PDP_BATCH_EXTRACTION',
  opClass: 'extract',
  credits: 4,
  summary: 'Read up to ten product-page photographs of one shoot back into their parts',
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
  brief: groupingBrief,
});

const photoOf = (index: number) =>
  input(`photo-${index}`, 'photograph', 'a product photograph of one shoot.');

const groupSchema = (shared: string) => ({
  type: 'array',
  description: `Groups of at least two images that share ${shared}; none where nothing is shared`,
  items: strictObject({
    member_indices: { type: 'array', items: { type: 'integer' }, description: 'The first image is 0' },
    confidence: { type: 'number', description: '0 to 1' },
    evidence: { type: 'string', description: 'What they have in common, in one sentence' },
  }),
});

/** Finds what several photographs share, unless the caller has said it, and extracts it once. */
function groupingBrief({ body: { photos, grouping } }: BriefFacts<PdpBatchExtractionsBody>): Brief {
  if (grouping) return { steps: sharedSteps({ ...grouping }, photos.length, false) };
  if (photos.length < 2) return { steps: [] };
  const reading: BriefStep = {
    kind: 'reading',
    name: 'grouping',
    inputs: photos.map((_, index) => photoOf(index)),
    optional: true,
    question: sentences(
      `These ${photos.length} product photographs come from one shoot; the first image has the index 0.`,
      'Which of them show the same person, and which were taken at the same location, before the same background?',
      'Group only those of which you are sure.',
    ),
    schema: strictObject({
      person_groups: groupSchema('a person'),
      location_groups: groupSchema('a location'),
    }),
    then: (answer) => sharedSteps(isKnown(answer) ? answer : {}, photos.length, true),
    otherwise: [
      {
        kind: 'missing',
        name: 'grouping',
        code: 'VISION_MODEL_REQUIRED',
        message:
          'The photographs were not grouped: this installation has no vision model that can look at them. Each is read by itself.',
      },
    ],
  };
  return { steps: [reading] };
}

/** The grouping itself, and a picture of each person and each place that at least two photographs share. */
function sharedSteps(grouping: Known, count: number, automatic: boolean): BriefStep[] {
  const people = groupsOf(grouping['person_groups'], count);
  const places = groupsOf(grouping['location_groups'], count);
  const meta = { person_groups: people, location_groups: places, automatic };
  return [
    {
      kind: 'kept',
      name: 'grouping',
      source: photoOf(0).source,
      gives: { kind: 'grouping', label: 'What the photographs share', role: 'final', meta },
    },
    ...people.flatMap((group, index) =>
      sharedStep(group, (photo, facts) =>
        personOrder(`person_${index + 1}`, photo, { axis: 'person', ...facts }),
      ),
    ),
    ...places.flatMap((group, index) =>
      sharedStep(group, (photo, facts) =>
        plateOrder(`location_${index + 1}`, photo, { axis: 'location', ...facts }),
      ),
    ),
  ];
}

function sharedStep(
  group: AxisGroup,
  order: (photo: ReturnType<typeof photoOf>, facts: Known) => BriefStep,
): BriefStep[] {
  const [first] = group.member_indices;
  if (first === undefined || group.member_indices.length < 2) return [];
  return [order(photoOf(first), { ...group, source_index: first })];
}

/** A reader's groups are not validated like a body: an index without a photograph is left out. */
function groupsOf(groups: unknown, count: number): AxisGroup[] {
  return (Array.isArray(groups) ? groups : []).filter(isKnown).map((group) => {
    const { member_indices: members, confidence, evidence } = group;
    const inside = (Array.isArray(members) ? members : []).filter(
      (each): each is number => Number.isInteger(each) && each >= 0 && each < count,
    );
    return {
      member_indices: [...new Set(inside)],
      confidence: typeof confidence === 'number' ? confidence : 1,
      evidence: typeof evidence === 'string' ? evidence : '',
    };
  });
}
