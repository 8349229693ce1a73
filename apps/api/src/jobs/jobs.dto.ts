import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ValidateBy } from 'class-validator';
import { ChoiceField, field, IdField } from '#validation/fields.js';
import { workflows } from '#workflows/workflows.js';
import { idLike, jobId, requestId } from '../http/describe.js';
import { DateTimeQuery, IntegerQuery, PageQuery } from '../http/valid-request.js';
import {
  pictureUrl,
  renderKey,
  ThumbnailsProperty,
  ThumbnailUrlsResponse,
} from '../uploads/thumbnail-urls.js';
import { DataSubjectsProperty } from '../uploads/data-subjects.js';
import { MetaProperty, shownArm, Word } from '../http/vocabulary.js';

export class Artifact {
  @ApiProperty({ description: 'Short-lived presigned GET URL.', ...pictureUrl(renderKey) })
  image_url: string;

  @ThumbnailsProperty()
  thumbnails: ThumbnailUrlsResponse;

  @Word('ArtifactKind', { description: 'What it shows.', example: 'on_model_render' })
  kind: string;

  @ApiProperty({ enum: ['intermediate', 'final'], enumName: 'ArtifactRole' })
  role: 'intermediate' | 'final';

  @ApiProperty({ example: 'On model' })
  label: string;

  @MetaProperty('Facts about the artifact.', { width: 1024, height: 1536 })
  meta: Record<string, unknown>;

  @ApiProperty({ description: 'Storage key.', example: renderKey })
  s3_key: string;

  @ApiProperty(idLike('01K9Z7J0V8G3H5J7K9M2N4P6QR'))
  asset_id: string;
}

export const jobStatuses = ['NOT_STARTED', 'IN_PROGRESS', 'SUCCESS', 'FAILURE'] as const;

/** The types that the interface lists. A filter also accepts any other type that a workflow gives its jobs. */
const specifiedJobTypes = [
  'MODEL_GENERATOR',
  'BACKGROUND_GENERATOR',
  'COMPLEMENTARY_GARMENT_GENERATOR',
  'SHOT_REFERENCE_GENERATOR',
  'PRODUCT_TO_MODEL_DIRECT',
  'PDP_EXTRACTION',
  'BACKGROUND_SWAP_WITH_IMAGE',
  'BACKGROUND_SWAP_WITH_SPEC',
  'MODEL_SWAP_WITH_IMAGE',
] as const;

export const listedJobTypes = [
  ...new Set<string>([...specifiedJobTypes, ...workflows.map(({ jobType }) => jobType)]),
];

function JobTypesField(): PropertyDecorator {
  const among = (type: unknown) => listedJobTypes.some((listed) => listed === type);
  const validate = (value: unknown) => Array.isArray(value) && value.length <= 64 && value.every(among);
  const fromText = (sent: unknown) => (Array.isArray(sent) ? sent : [sent]);
  const description = 'Repeatable. When absent, jobs of all types.';
  return field(
    { description, fromText },
    {
      type: 'enum',
      message: `must each be one of: ${listedJobTypes.join(', ')}`,
      schema: { enum: listedJobTypes, enumName: 'ListedJobType', isArray: true },
      rules: (told) => [ValidateBy({ name: 'enum', validator: { validate } }, told)],
    },
  );
}

export class ListJobsQuery extends PageQuery {
  @JobTypesField()
  job_type?: string[];

  @ChoiceField({ description: 'Only jobs in this state.', values: jobStatuses, name: 'JobStatus' })
  status?: (typeof jobStatuses)[number];

  @DateTimeQuery('Only jobs created strictly after this moment.')
  created_after?: string;

  @IdField({
    description:
      'The `next_cursor` of the previous page, to get the older jobs. Unlike `offset`, it skips no job and repeats no job ' +
      'when jobs are added in between. Not together with `offset`.',
  })
  cursor?: string;
}

export class JobEventsQuery {
  @IntegerQuery({
    description: 'The `latest_seq` of the last answer, to get only later events.',
    min: 0,
    max: 2 ** 31 - 1,
    default: 0,
  })
  since: number = 0;

  @IntegerQuery({
    description:
      'Seconds to wait for an event if there is none yet. The answer comes with the first event, and at the latest when ' +
      'the seconds are over. Not for a stream.',
    min: 0,
    max: 30,
    default: 0,
  })
  wait: number = 0;
}

export class JobSummaryResponse {
  @ApiProperty(jobId)
  public_id: string;

  @ApiProperty({ description: 'UPPER_SNAKE. An open set: new types may appear.', example: 'MODEL_GENERATOR' })
  job_type: string;

  @ApiProperty({ enum: jobStatuses, enumName: 'JobStatus' })
  status: string;

  @ApiProperty({ format: 'date-time', example: '2026-01-31T12:00:00.000Z' })
  created_at: string;

  @ApiProperty({
    description:
      'The thumbnail of a job that succeeded, at most 256 pixels wide: a short-lived presigned GET URL.',
    type: String,
    nullable: true,
    format: 'uri',
    example: null,
  })
  thumbnail_url: string | null;
}

export class JobListResponse {
  @ApiProperty({ type: [JobSummaryResponse] })
  jobs: JobSummaryResponse[];

  @ApiProperty({ type: 'integer', minimum: 1, maximum: 200, example: 50 })
  limit: number;

  @ApiProperty({ type: 'integer', minimum: 0, example: 0 })
  offset: number;

  @ApiProperty({ description: 'Jobs on this page.', type: 'integer', minimum: 0, example: 1 })
  count: number;

  @ApiProperty({ description: 'Number of jobs that match.', type: 'integer', minimum: 0, example: 1 })
  total: number;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Pass it as `cursor` for the next page. Null when this page is not full, because there are no more jobs.',
    example: null,
  })
  next_cursor: string | null;
}

export class JobError {
  @Word('JobErrorCode', { description: 'Branch on it.', example: 'ENGINE_CAPACITY' })
  code: string;

  @ApiProperty({ example: 'The engine is busy. Your credits were refunded.' })
  message: string;
}

export class PartFailureResponse {
  @ApiProperty({
    description:
      'The part. In a batch, the photograph comes first: `photos[2].person` is a part of it, `photos[2]` is all of it.',
    type: 'string',
    pattern: shownArm,
    example: 'photos[2].person',
  })
  arm: string;

  @Word('PartFailureCode', {
    description: 'The reason. For a whole photograph: why its job failed.',
    example: 'NO_PERSON_FOUND',
  })
  code: string;

  @ApiProperty({ example: 'The photograph shows no person: a flat-lay or a close crop has no model.' })
  message: string;
}

/** Further members of an event, which depend on its type. */
export class JobEventExtra {
  @ApiPropertyOptional({ description: '`queued`: the workflow.', example: 'model-generator' })
  operation?: string;

  @ApiPropertyOptional({ description: '`queued`.', example: 'MODEL_GENERATOR' })
  job_type?: string;

  @ApiPropertyOptional({ description: '`queued`: what was deducted.', type: 'integer', minimum: 0 })
  credits_cost?: number;

  @ApiPropertyOptional({ description: '`succeeded`: what drew it.', example: 'sketch' })
  engine?: string;

  @ApiPropertyOptional({ description: '`succeeded`: the model of the engine.', example: 'sketch-1' })
  model?: string;

  @ApiPropertyOptional({ description: '`succeeded`.', type: 'integer', example: 7 })
  seed?: number;

  @ApiPropertyOptional({ description: '`succeeded`: what drawing took.', type: 'integer', minimum: 0 })
  duration_ms?: number;

  @ApiPropertyOptional({
    description: '`succeeded`: the parts that gave nothing; absent where a job has no parts.',
    type: [PartFailureResponse],
  })
  failures?: PartFailureResponse[];

  @ApiPropertyOptional({ description: '`failed`: why.', type: JobError })
  error?: JobError;
}

/** A picture of a job that was erased. */
export class ErasedArtifact {
  @ApiProperty(idLike('01K9Z7J0V8G3H5J7K9M2N4P6QR'))
  asset_id: string;

  @Word('ArtifactKind', { example: 'on_model_render' })
  kind: string;

  @ApiProperty({ enum: ['intermediate', 'final'], enumName: 'ArtifactRole' })
  role: string;

  @ApiProperty({ format: 'date-time', example: '2026-02-01T08:30:00.001Z' })
  erased_at: string;
}

const ErasedProperty = () =>
  ApiPropertyOptional({
    description: 'The pictures that were erased, which `artifacts` leaves out; absent if none was.',
    type: [ErasedArtifact],
  });

export class JobEventResponse {
  @ApiProperty({
    description: 'Grows with each event of the job: the polling cursor.',
    type: 'integer',
    minimum: 1,
    example: 1,
  })
  seq: number;

  @ApiProperty({ enum: ['queued', 'stage', 'succeeded', 'failed'], enumName: 'JobEventType' })
  event_type: string;

  @ApiProperty({ enum: ['public'], example: 'public' })
  visibility: 'public';

  @Word('StageName', {
    description: "The stage's name. For other events: the event's type.",
    example: 'queued',
  })
  stage: string;

  @ApiProperty({ example: 'Job accepted.' })
  message: string;

  @ApiProperty({ type: [Artifact] })
  artifacts: Artifact[];

  @ErasedProperty()
  erased?: ErasedArtifact[];

  @ApiProperty({ type: JobEventExtra })
  extra: Record<string, unknown>;

  @ApiProperty({ format: 'date-time', example: '2026-01-31T12:00:00.000Z' })
  created_at: string;
}

export class JobResult {
  @ApiProperty({ type: [Artifact] })
  artifacts: Artifact[];

  @ErasedProperty()
  erased?: ErasedArtifact[];
}

/** Orders are on the log alone. */
const nullWhileAway = 'Null only with `X-Consistency: stale`, while the log cannot be read.';

export class JobDetailResponse extends JobSummaryResponse {
  @ApiProperty({ type: 'integer', minimum: 0, example: 5 })
  credits_cost: number;

  @ApiProperty(requestId)
  request_id: string;

  @ApiProperty({ type: String, nullable: true, description: 'The batch that it is part of.', example: null })
  parent_job_id: string | null;

  @ApiProperty({ type: [JobSummaryResponse], description: 'The jobs of a batch.' })
  children: JobSummaryResponse[];

  @ApiProperty({ type: JobResult, nullable: true, description: 'The result of a job that succeeded.' })
  result: JobResult | null;

  @ApiProperty({
    type: JobEventResponse,
    description: 'The newest public event of its timeline. Its artifacts are empty where `result` has them.',
  })
  latest_event: JobEventResponse;

  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: '2026-01-31T12:00:00.120Z' })
  started_at: string | null;

  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: null })
  finished_at: string | null;

  @ApiProperty({ type: JobError, nullable: true, description: 'Why a job failed.' })
  error: JobError | null;

  @ApiProperty({
    description: 'The name that was sent. If none was sent, a generated one.',
    example: 'Amara',
  })
  display_name: string;

  @ApiProperty({
    description:
      'The seed that was sent, or else chosen at dispatch. It draws the same picture again. ' + nullWhileAway,
    type: 'integer',
    nullable: true,
    example: 7,
  })
  seed: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The image model that draws it, as it was chosen at dispatch.',
    example: 'sketch-1',
  })
  image_model: string | null;

  @ApiProperty({
    description: 'As it was sent.',
    type: 'object',
    additionalProperties: true,
    nullable: true,
    example: { sku: 'SKU-1042' },
  })
  metadata: Record<string, unknown> | null;

  @ApiProperty({ type: String, nullable: true, description: 'As it was sent.', example: null })
  pilot_brand: string | null;

  @DataSubjectsProperty()
  data_subjects?: string[];

  @ApiProperty({
    description:
      'The body as it was accepted. Dispatched again with the same seed, it draws the same picture. ' +
      nullWhileAway,
    type: 'object',
    additionalProperties: true,
    nullable: true,
    example: { gender: 'FEMALE', age_range: '26-30' },
  })
  request: Record<string, unknown> | null;

  @ApiPropertyOptional({
    description:
      'When its words were erased: `request`, `display_name` and messages say so. Absent: they were not.',
    format: 'date-time',
    example: '2026-02-01T08:30:00.001Z',
  })
  erased_at?: string;
}

export class JobEventsResponse {
  @ApiProperty(jobId)
  public_id: string;

  @ApiProperty({ type: [JobEventResponse], description: 'Ascending by seq.' })
  events: JobEventResponse[];

  @ApiProperty({ description: 'Pass it as `since` next time.', type: 'integer', minimum: 0, example: 1 })
  latest_seq: number;
}
