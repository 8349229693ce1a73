import type { FieldProblem } from '#validation/validate.js';
import {
  IdField,
  integer,
  ListField,
  nested,
  NestedField,
  NumberField,
  TextField,
} from '#validation/fields.js';

const mostPhotos = 10;

export class PdpExtractionsBody {
  @IdField({ description: 'The photograph: an uploaded asset.', required: true })
  pdp_image_public_id: string;

  @TextField({ description: 'What the product is called.', min: 1, max: 200, example: 'Linen midi skirt' })
  product_name?: string;
}

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

/** An index can only be judged beside the photographs that there are. */
export function pdpBatchProblems({ photos, grouping }: PdpBatchExtractionsBody): FieldProblem[] {
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
