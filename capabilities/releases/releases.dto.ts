import { ApiProperty } from '@nestjs/swagger';
import { PageOf } from '#api/http/describe.js';
import { DateTimeField, DateTimeQuery, PageQuery } from '#api/http/valid-request.js';
import { BooleanField, ChoiceField, IntegerField, ListField, TextField } from '#validation/fields.js';
import { Relations } from '#validation/relations.js';
import type { ReleaseFee } from './release.events.js';
import { oneFee, termFields } from './release-fields.js';
import { hasEnded, type KnownRelease, type ReleaseRule } from './release.js';
import type { ReleaseUse } from './releases.reader.js';

const id = { minLength: 26, maxLength: 26, example: '01K9Z7J0V6X8Y2Z4A6B8C0D2EF' };
const time = { format: 'date-time', example: '2026-01-31T12:00:00.000Z' };

@Relations(...oneFee)
export class ReleaseTermsBody {
  @ListField({ ...termFields.workflows, default: [] })
  workflows: string[] = [];

  @ListField({ ...termFields.uses, default: [] })
  uses: string[] = [];

  @ListField({ ...termFields.territories, default: [] })
  territories: string[] = [];

  @DateTimeField('From then on it allows nothing. When absent, it does not expire.', '2031-01-31T12:00:00Z')
  expires_at?: string;

  @IntegerField(termFields.feeCredits)
  fee_credits?: number;

  @IntegerField(termFields.feeAmount)
  fee_amount?: number;

  @TextField(termFields.feeCurrency)
  fee_currency?: string;

  @TextField(termFields.document)
  document?: string;
}

export class GrantReleaseBody extends ReleaseTermsBody {
  @TextField({ ...termFields.dataSubject, required: true })
  data_subject: string;
}

export class WithdrawReleaseBody {
  @TextField({ description: 'Why, for people.', min: 1, max: 500, example: 'Asked by mail.' })
  reason?: string;
}

export class ReleaseRuleBody {
  @BooleanField({
    description: 'Whether a dispatch about a person whom no release covers is refused.',
    example: false,
  })
  required?: boolean;

  @ListField({
    ...termFields.uses,
    description: 'What you use pictures for. A release covers a dispatch only if it allows all of it.',
  })
  uses?: string[];

  @ListField({
    ...termFields.territories,
    description: 'Where you use pictures. A release covers a dispatch only if it allows all of it.',
  })
  territories?: string[];
}

const releaseStatuses = ['active', 'withdrawn', 'expired'] as const;

export class ListReleasesQuery extends PageQuery {
  @TextField({ description: 'Only those of this person.', min: 1, max: 128 })
  data_subject?: string;

  @ChoiceField({ description: 'Only those in this state.', values: releaseStatuses, name: 'ReleaseStatus' })
  status?: KnownRelease['status'];
}

const useFormats = ['json', 'csv'] as const;

export class ReleaseUsesQuery extends PageQuery {
  @DateTimeQuery('Only uses from this moment on.')
  since?: string;

  @DateTimeQuery('Only uses before this moment.')
  until?: string;

  @ChoiceField({
    description: '`csv`: all uses of the period, without pages.',
    values: useFormats,
    default: 'json',
  })
  format: (typeof useFormats)[number] = 'json';
}

export class ReleaseFeeResponse {
  @ApiProperty({
    description: 'Whole credits, or hundredths of the currency.',
    type: 'integer',
    minimum: 0,
    example: 250,
  })
  amount: number;

  @ApiProperty({ description: '`credits`, or a currency by ISO 4217.', example: 'EUR' })
  unit: string;
}

export class ReleaseResponse {
  @ApiProperty(id)
  public_id: string;

  @ApiProperty({
    description: 'Your own name for the person. Null: the person was erased.',
    type: String,
    nullable: true,
    example: 'customer-4711',
  })
  data_subject: string | null;

  @ApiProperty({ description: 'Empty: all.', type: [String], example: ['try-on'] })
  workflows: string[];

  @ApiProperty({ description: 'Empty: all.', type: [String], example: ['e-commerce'] })
  uses: string[];

  @ApiProperty({ description: 'Empty: all.', type: [String], example: ['DE', 'AT'] })
  territories: string[];

  @ApiProperty({ description: 'Null: it does not expire.', type: String, nullable: true, ...time })
  expires_at: string | null;

  @ApiProperty({ description: 'Owed for each job.', type: ReleaseFeeResponse, nullable: true })
  fee: ReleaseFeeResponse | null;

  @ApiProperty({
    description: 'Null: none is known, or the person was erased.',
    type: String,
    nullable: true,
    example: 'contracts/2026/17.pdf',
  })
  document: string | null;

  @ApiProperty({ enum: [...releaseStatuses], enumName: 'ReleaseStatus' })
  status: string;

  @ApiProperty(time)
  granted_at: string;

  @ApiProperty({
    description: 'When it was withdrawn, has expired, or its person was erased.',
    type: String,
    nullable: true,
    ...time,
  })
  ended_at: string | null;
}

export class ReleaseListResponse extends PageOf(ReleaseResponse, {
  total: 'Number of releases that match.',
}) {}

export class ReleaseRuleResponse {
  @ApiProperty({ description: 'Whether a dispatch about a person needs a release.', example: false })
  required: boolean;

  @ApiProperty({ type: [String], example: ['e-commerce'] })
  uses: string[];

  @ApiProperty({ type: [String], example: ['DE'] })
  territories: string[];
}

export class ReleaseUseResponse {
  @ApiProperty(id)
  job_id: string;

  @ApiProperty({ description: 'The workflow.', example: 'try-on' })
  operation: string;

  @ApiProperty({
    description: 'Of the job. A fee is owed for a `SUCCESS`.',
    enum: ['NOT_STARTED', 'IN_PROGRESS', 'SUCCESS', 'FAILURE'],
    enumName: 'JobStatus',
  })
  status: string;

  @ApiProperty({ description: 'When the job was dispatched.', ...time })
  used_at: string;

  @ApiProperty({ description: 'By the terms at that time.', type: ReleaseFeeResponse, nullable: true })
  fee: ReleaseFeeResponse | null;
}

export class OwedFeeResponse extends ReleaseFeeResponse {
  @ApiProperty({ description: 'The jobs that it is owed for.', type: 'integer', minimum: 1, example: 4 })
  jobs: number;
}

export class ReleaseUsesResponse extends PageOf(ReleaseUseResponse, { total: 'Uses in the period.' }) {
  @ApiProperty({ description: 'All fees of the period, one for each unit.', type: [OwedFeeResponse] })
  owed: OwedFeeResponse[];
}

/** @param now a release whose expiry has passed is shown as expired, also before that is recorded */
export function presentRelease(release: KnownRelease, now: Date): ReleaseResponse {
  const { releaseId, dataSubject, workflows: names, uses, territories, fee, document, grantedAt } = release;
  const isErased = release.erasedAt !== undefined;
  const isOver = release.status === 'active' && hasEnded(release, now.toISOString());
  return {
    public_id: releaseId,
    data_subject: isErased ? null : dataSubject,
    workflows: [...names],
    uses: [...uses],
    territories: [...territories],
    expires_at: release.expiresAt,
    fee: fee && { ...fee },
    document: isErased ? null : document,
    status: isOver ? 'expired' : release.status,
    granted_at: grantedAt,
    ended_at: isOver ? release.expiresAt : release.endedAt,
  };
}

export function presentRule({ required, uses, territories }: ReleaseRule): ReleaseRuleResponse {
  return { required, uses: [...uses], territories: [...territories] };
}

export function presentUse(
  { jobId, operation, status, usedAt }: ReleaseUse,
  fee: ReleaseFee | null,
): ReleaseUseResponse {
  return { job_id: jobId, operation, status, used_at: usedAt, fee: fee && { ...fee } };
}
