import { ApiProperty } from '@nestjs/swagger';
import { longestRetentionDays } from '#domain/kept-for.js';
import { choice, IntegerField, ListField } from '#validation/fields.js';
import { Relations, setOrCleared } from '#validation/relations.js';
import { keptKinds, type KeptKind, type OwnDays } from '../keeping.events.js';
import type { KeepingSettings } from '../keeping.settings.js';
import { daysKept, type KeptDays } from './retention.js';

export const daysOf = (what: string) => ({
  description: `After how many days ${what} erased. At most the operator's maximum.`,
  min: 1,
  max: longestRetentionDays,
  example: 30,
});

/** Completes `After how many days …`. */
export const whatEnds: Readonly<Record<KeptKind, string>> = {
  uploads: 'an uploaded picture is',
  intermediates: 'a picture on the way to a result is',
  finals: 'a finished picture is',
  words: 'the words of a job, with the body of its request, and those of a product are',
};

@Relations(...setOrCleared(keptKinds))
export class RetentionBody {
  @IntegerField(daysOf(whatEnds.uploads))
  uploads?: number;

  @IntegerField(daysOf(whatEnds.intermediates))
  intermediates?: number;

  @IntegerField(daysOf(whatEnds.finals))
  finals?: number;

  @IntegerField(daysOf(whatEnds.words))
  words?: number;

  @ListField({
    description: "Kinds that follow the operator's default again.",
    items: choice(keptKinds),
    max: keptKinds.length,
    unique: true,
    example: [],
  })
  clear?: KeptKind[];
}

/** The change that the body asks for. */
export function changeIn(body: RetentionBody): Partial<OwnDays> {
  const { clear = [] } = body;
  const cleared = clear.map((kind) => [kind, null] as const);
  const set = keptKinds.flatMap((kind) => {
    const { [kind]: days } = body;
    return days === undefined ? [] : [[kind, days] as const];
  });
  return Object.fromEntries([...cleared, ...set]);
}

const orNull = { type: 'integer', nullable: true, minimum: 1 } as const;

export class KindRetentionResponse {
  @ApiProperty({ description: 'What applies. Null: it is kept without limit.', ...orNull, example: 30 })
  days: number | null;

  @ApiProperty({ description: 'Your own. Null: the default applies.', ...orNull, example: 30 })
  own: number | null;

  @ApiProperty({ description: "The operator's default. Null: without limit.", ...orNull, example: null })
  default: number | null;

  @ApiProperty({
    description: "The operator's maximum. It applies in any case. Null: none.",
    ...orNull,
    example: 365,
  })
  maximum: number | null;
}

export class RetentionResponse {
  @ApiProperty({ description: 'Uploaded pictures, from their upload on.', type: KindRetentionResponse })
  uploads: KindRetentionResponse;

  @ApiProperty({
    description: 'Pictures on the way to a result, from when they were stored.',
    type: KindRetentionResponse,
  })
  intermediates: KindRetentionResponse;

  @ApiProperty({ description: 'Finished pictures, from when they were stored.', type: KindRetentionResponse })
  finals: KindRetentionResponse;

  @ApiProperty({
    description:
      'The words of a job, with the body of its request, from its end on; title and description of a product from its last change on.',
    type: KindRetentionResponse,
  })
  words: KindRetentionResponse;
}

export function presentRetention(own: OwnDays, keeping: Pick<KeepingSettings, 'usual' | 'most'>) {
  const of = (limits: KeptDays, kind: KeptKind) => limits[kind] ?? null;
  const each = (kind: KeptKind): KindRetentionResponse => ({
    days: daysKept(kind, own, keeping) ?? null,
    own: own[kind],
    default: of(keeping.usual, kind),
    maximum: of(keeping.most, kind),
  });
  return {
    uploads: each('uploads'),
    intermediates: each('intermediates'),
    finals: each('finals'),
    words: each('words'),
  };
}
