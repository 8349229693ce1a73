import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { idLike } from '#api/http/describe.js';
import { BooleanQuery } from '#api/http/valid-request.js';
import { erasureSteps } from './erasure.events.js';
import type { BegunErasure } from './erasure.js';
import { presentTarget } from './receipt.js';

export class ErasureQuery {
  @BooleanQuery({
    description: 'Also erases the pictures and jobs that were made from it, and what was made from those.',
    default: false,
  })
  derived: boolean = false;

  @BooleanQuery({ description: 'Only counts what would be erased.', default: false })
  dry_run: boolean = false;
}

const erasureId = idLike('01KAB7J0V4M2Q8T6R3N5B1C7DE');
const count = { type: 'integer', minimum: 0, example: 1 } as const;

export class ErasureSizeResponse {
  @ApiProperty(count)
  pictures: number;

  @ApiProperty({ description: 'Jobs whose words are erased. Their charges stay.', ...count })
  jobs: number;

  @ApiProperty(count)
  products: number;

  @ApiProperty({ description: 'Records about a person, such as model releases.', ...count })
  records: number;
}

const morePossible = () =>
  ApiPropertyOptional({
    description:
      'Only of a person: more belongs to them than one erasure takes. Send the request again once this one is completed.',
    enum: [true],
  });

export class ErasureEstimateResponse extends ErasureSizeResponse {
  @ApiProperty({ enum: [true] })
  dry_run: true;

  @ApiProperty({ description: 'Jobs that have not ended: they are cancelled and refunded.', ...count })
  unfinished_jobs: number;

  @morePossible()
  more?: true;
}

export class RequestedErasureResponse {
  @ApiProperty(erasureId)
  erasure_id: string;

  @ApiProperty({ enum: ['running', 'completed'], enumName: 'ErasureStatus' })
  status: 'running';

  @morePossible()
  more?: true;
}

export class ErasureTargetResponse {
  @ApiProperty({
    description:
      '`upload`, `render`, `job`, `product`, or a record about a person, such as `release`. Retention also erases a ' +
      '`picture` of a job, and its `words` alone.',
    example: 'upload',
  })
  kind: string;

  @ApiProperty(idLike('01K9Z7J0V4M2Q8T6R3N5B1C7DE'))
  id: string;
}

export class ErasureStepResponse {
  @ApiProperty({
    description:
      '`refused`: every read refuses the things. `bytes`: their objects are gone from the storage. `rows`: answers and ' +
      'messages about them are emptied. `keys`: the keys of their words are destroyed. `vendors`: the vendors that can are ' +
      'asked to delete what they got; absent if there is none.',
    enum: [...erasureSteps],
    enumName: 'ErasureStepName',
  })
  step: string;

  @ApiProperty({ type: 'object', additionalProperties: { type: 'integer' }, example: { objects: 3 } })
  counts: Readonly<Record<string, number>>;

  @ApiProperty({ format: 'date-time', example: '2026-02-01T08:30:00.001Z' })
  done_at: string;
}

export class VendorsResponse {
  @ApiProperty({ description: 'Calls that the vendor has deleted, or no longer had.', ...count })
  deleted: number;

  @ApiProperty({ description: 'Calls that the vendor would not delete.', ...count })
  refused: number;

  @ApiProperty({ format: 'date-time', example: '2026-02-01T08:30:05.001Z' })
  answered_at: string;
}

export class ErasureResponse {
  @ApiProperty(erasureId)
  erasure_id: string;

  @ApiProperty({ enum: ['running', 'completed'], enumName: 'ErasureStatus' })
  status: string;

  @ApiProperty({ type: [ErasureTargetResponse] })
  targets: ErasureTargetResponse[];

  @ApiProperty()
  derived: boolean;

  @ApiProperty({ format: 'date-time', example: '2026-02-01T08:30:00.001Z' })
  requested_at: string;

  @ApiPropertyOptional({ format: 'date-time', example: '2026-02-01T08:30:01.001Z' })
  completed_at?: string;

  @ApiProperty({ description: 'The steps that are done, in their order.', type: [ErasureStepResponse] })
  steps: ErasureStepResponse[];

  @ApiPropertyOptional({
    description:
      'The answers of image vendors that were asked to delete. Absent: none yet, or none was asked.',
    type: VendorsResponse,
  })
  vendors?: VendorsResponse;
}

export class RemainsResponse {
  @ApiProperty({ example: 'backups' })
  where: string;

  @ApiProperty({
    description: 'Null: the service does not know.',
    type: String,
    format: 'date-time',
    nullable: true,
    example: null,
  })
  until: string | null;
}

export class ErasedThingsResponse {
  @ApiProperty({ type: [String] })
  pictures: readonly string[];

  @ApiProperty({ type: [String] })
  jobs: readonly string[];

  @ApiProperty({ type: [String] })
  products: readonly string[];

  @ApiProperty({ description: 'Records about a person, such as model releases.', type: [String] })
  records: readonly string[];
}

export class ReceiptResponse {
  @ApiProperty({ enum: ['atelier erasure receipt 1'] })
  format: string;

  @ApiProperty(erasureId)
  erasure_id: string;

  @ApiProperty({ enum: ['live', 'test'] })
  environment: string;

  @ApiProperty(idLike('01K9Z7G1T9C4W6X2Y8A5S3D7FH'))
  tenant: string;

  @ApiProperty({ format: 'date-time', example: '2026-02-01T08:30:00.001Z' })
  requested_at: string;

  @ApiProperty({ format: 'date-time', example: '2026-02-01T08:30:01.001Z' })
  completed_at: string;

  @ApiProperty({
    description: 'Who ordered it: a key, an operator, or `retention`: its time was over.',
    example: 'key:01K9Z7J0V4M2Q8T6R3N5B1C7DE',
  })
  by: string;

  @ApiProperty({ type: [ErasureTargetResponse] })
  targets: readonly ErasureTargetResponse[];

  @ApiProperty()
  derived: boolean;

  @ApiProperty({ description: 'The log was restored from before this erasure, which was then done again.' })
  again: boolean;

  @ApiProperty({ description: 'The ids of what was erased.', type: ErasedThingsResponse })
  erased: ErasedThingsResponse;

  @ApiProperty({ type: 'object', additionalProperties: { type: 'integer' }, example: { objects: 3 } })
  counts: Readonly<Record<string, number>>;

  @ApiProperty({ description: 'Where the data may still be, and until when.', type: [RemainsResponse] })
  remains: readonly RemainsResponse[];

  @ApiProperty({
    description: 'The public key, as `atelier seal key` prints it. Null: the service has no key.',
    type: String,
    nullable: true,
    example: null,
  })
  key: string | null;

  @ApiProperty({
    description: 'Ed25519, checked by `atelier erasures verify`. Null: the service has no key.',
    type: String,
    nullable: true,
    example: null,
  })
  signature: string | null;
}

export function presentErasure(erasure: BegunErasure): ErasureResponse {
  const { status, request, steps } = erasure;
  return {
    erasure_id: request.erasureId,
    status,
    targets: request.targets.map(presentTarget),
    derived: request.derived,
    requested_at: request.at,
    ...(erasure.status === 'completed' && { completed_at: erasure.completed.at }),
    steps: steps.map(({ step, counts, at }) => ({ step, counts, done_at: at })),
    ...vendorsOf(erasure),
  };
}

function vendorsOf(erasure: BegunErasure): { readonly vendors?: VendorsResponse } {
  if (erasure.status !== 'completed' || !erasure.vendors) return {};
  const { deleted, refused, at } = erasure.vendors;
  return { vendors: { deleted, refused, answered_at: at } };
}
