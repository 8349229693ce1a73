import { ApiProperty } from '@nestjs/swagger';
import { Matches, type ValidationOptions } from 'class-validator';
import { field } from '#validation/fields.js';
import type { Credentials } from './read-credentials.js';
import type { JudgedTime } from './time-stamped.js';
import type { TimeStamp } from './time-stamp-token.js';

const id = { minLength: 26, maxLength: 26, example: '01K9Z7J0V6X8Y2Z4A6B8C0D2EF' };
const time = { format: 'date-time', example: '2026-01-31T12:00:00.000Z' };
const digest = { minLength: 64, maxLength: 64, example: 'ab'.repeat(32) };
const sourceType = 'http://cv.iptc.org/newscodes/digitalsourcetype/compositeSynthetic';

const problems = [
  'claim.malformed',
  'claimSignature.mismatch',
  'assertion.hashedURI.mismatch',
  'assertion.missing',
  'assertion.dataHash.mismatch',
  'assertion.bmffHash.mismatch',
  'claim.hardBindings.missing',
  'ingredient.manifest.missing',
  'ingredient.manifest.mismatch',
  'general.error',
] as const satisfies Credentials['problems'];

const timeStampStatuses = [
  'timeStamp.trusted',
  'timeStamp.untrusted',
  'timeStamp.mismatch',
  'timeStamp.outsideValidity',
  'timeStamp.malformed',
] as const satisfies TimeStamp['status'][];

const sha256 = {
  type: 'sha256',
  message: 'must be a SHA-256 in hex: 64 digits',
  schema: { type: 'string', pattern: '^[0-9a-fA-F]{64}$', minLength: 64, maxLength: 64 },
  rules: (told: ValidationOptions) => [Matches(/^[0-9a-f]{64}$/i, told)],
};

export class VerifyBody {
  @field({ description: 'SHA-256 of the picture.', required: true, example: digest.example }, sha256)
  sha256: string;
}

class SignerResponse {
  @ApiProperty({
    description: 'The subject of the certificate that signed.',
    example: 'O=Example, CN=Pictures',
  })
  subject: string;

  @ApiProperty({ description: 'SHA-256 of that certificate, in hex.', ...digest })
  fingerprint: string;

  @ApiProperty({ description: 'When that certificate expires.', ...time })
  expires_at: string;

  @ApiProperty({
    description:
      'Whether that certificate was out of its time: at the time of the time-stamp if that is trusted, otherwise now.',
    example: false,
  })
  expired: boolean;
}

export class TimeStampResponse {
  @ApiProperty({
    description:
      'As C2PA names it. `timeStamp.trusted`: an authority that the operator of this service trusts confirms the time. ' +
      '`timeStamp.untrusted`: it is whole, but its authority is not trusted here. With any other status it confirms nothing.',
    enum: [...timeStampStatuses],
    example: 'timeStamp.trusted',
  })
  status: TimeStamp['status'];

  @ApiProperty({
    description: 'The time in it. Null: it cannot be read.',
    type: String,
    nullable: true,
    ...time,
  })
  time: string | null;

  @ApiProperty({
    description: 'The subject of the certificate that signed it. Null: none in it did.',
    type: String,
    nullable: true,
    example: 'O=Example, CN=Time',
  })
  authority: string | null;
}

class ActionResponse {
  @ApiProperty({ example: 'c2pa.created' })
  action: string;

  @ApiProperty({ type: String, nullable: true, example: sourceType })
  digital_source_type: string | null;
}

class IngredientResponse {
  @ApiProperty({ type: String, nullable: true, example: 'product_image' })
  title: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'inputTo' })
  relationship: string | null;

  @ApiProperty({ description: 'Whether it brought Content Credentials of its own.', example: false })
  has_credentials: boolean;
}

/** Content Credentials of a picture. */
export class CredentialsResponse {
  @ApiProperty({
    example: true,
    description:
      'Whether the picture is what was signed. It does not say whether you should trust who signed: see `signed_by`.',
  })
  valid: boolean;

  @ApiProperty({
    description: 'What is wrong, as C2PA names it.',
    enum: [...problems],
    isArray: true,
    example: [],
  })
  problems: string[];

  @ApiProperty({ description: 'Null: it cannot be read.', type: SignerResponse, nullable: true })
  signed_by: SignerResponse | null;

  @ApiProperty({
    description: 'The time-stamp of the signature (RFC 3161). Null: it has none.',
    type: TimeStampResponse,
    nullable: true,
  })
  time_stamp: TimeStampResponse | null;

  @ApiProperty({
    description: 'The program that made the claim.',
    type: String,
    nullable: true,
    example: 'Atelier 0.1.0',
  })
  generator: string | null;

  @ApiProperty({ type: [ActionResponse] })
  actions: ActionResponse[];

  @ApiProperty({ type: [IngredientResponse] })
  ingredients: IngredientResponse[];
}

class ErasedInputResponse {
  @ApiProperty({ example: 'product_image' })
  name: string;

  @ApiProperty({ description: 'When it was erased for good.', ...time })
  erased_at: string;
}

export class OriginResponse {
  @ApiProperty({
    description: 'Whether your account ordered it, or another one.',
    enum: ['you', 'another'],
    example: 'you',
  })
  ordered_by: 'you' | 'another';

  @ApiProperty({ enum: ['live', 'test'], example: 'live' })
  environment: string;

  @ApiProperty(id)
  job_id: string;

  @ApiProperty({ example: 'product-to-model-direct' })
  workflow: string;

  @ApiProperty({
    description: 'Null: the job has not ended, or has failed.',
    type: String,
    nullable: true,
    example: 'sketch',
  })
  engine: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'sketch' })
  model: string | null;

  @ApiProperty({ description: 'When it was stored.', ...time })
  created_at: string;

  @ApiProperty({
    description: 'The inputs of the job that were erased since. Null: another account ordered it.',
    type: [ErasedInputResponse],
    nullable: true,
    example: [],
  })
  erased_inputs: ErasedInputResponse[] | null;

  @ApiProperty({
    description:
      'Whether a release of each person in it covers this workflow now. Null: the job names no person, or another account ' +
      'ordered it.',
    type: Boolean,
    nullable: true,
    example: null,
  })
  release_in_force: boolean | null;
}

export class VerificationResponse {
  @ApiProperty({
    description:
      '`unchanged`: this service made it, and its bytes are those that were stored. `changed`: it carries the ' +
      'credentials of a picture of this service, but its bytes are others. `similar`: it only looks like a picture of this ' +
      'service, as a copy does that was encoded again, scaled, or cropped by up to a tenth on each side. That is no proof. ' +
      '`unknown`: nothing shows that it is from here.',
    enum: ['unchanged', 'changed', 'similar', 'unknown'],
    example: 'unchanged',
  })
  verdict: 'unchanged' | 'changed' | 'similar' | 'unknown';

  @ApiProperty({
    description:
      'Of a changed picture: whether it still looks like the one that was stored. If not, its credentials were taken from ' +
      'that picture. Null: the verdict is another, or it cannot be told.',
    type: Boolean,
    nullable: true,
    example: null,
  })
  looks_alike: boolean | null;

  @ApiProperty({ description: 'Of the picture that you sent, in hex.', ...digest })
  sha256: string;

  @ApiProperty({
    description: 'Of the picture of this service; null if it is unknown.',
    type: OriginResponse,
    nullable: true,
  })
  origin: OriginResponse | null;

  @ApiProperty({
    description:
      'The Content Credentials in the picture that you sent, also of other services. Null: it has none, or you sent a hash.',
    type: CredentialsResponse,
    nullable: true,
  })
  credentials: CredentialsResponse | null;
}

class SealResponse {
  @ApiProperty({ type: 'integer', minimum: 1, example: 3 })
  number: number;

  @ApiProperty({ description: 'Root of the tree over the events of the seal, in hex.', ...digest })
  root: string;

  @ApiProperty({ description: 'The public key that signed the seal.', example: 'pm1Zg0V9' })
  key: string;

  @ApiProperty(time)
  sealed_at: string;
}

class OrderResponse {
  @ApiProperty({
    description: 'The id of the event that ordered the job.',
    format: 'uuid',
    example: '6d1ad4c4-0f53-5c37-8d5b-1f6f4a8a9f6e',
  })
  event_id: string;

  @ApiProperty({ example: 'live.job-01K9Z7J0V6X8Y2Z4A6B8C0D2EF' })
  stream: string;

  @ApiProperty({ type: 'integer', minimum: 0, example: 0 })
  revision: number;

  @ApiProperty({ description: 'Its place in the log; larger than a JSON number may be.', example: '41' })
  position: string;

  @ApiProperty({
    description: 'The seal that covers it; null if none does yet.',
    type: SealResponse,
    nullable: true,
  })
  seal: SealResponse | null;
}

class PassportInputResponse {
  @ApiProperty({ example: 'product_image' })
  name: string;

  @ApiProperty(id)
  asset_id: string;

  @ApiProperty({
    description: "Of its bytes when the job was ordered, in hex. Null: it was erased with the job's words.",
    type: String,
    nullable: true,
    ...digest,
  })
  sha256: string | null;

  @ApiProperty({ description: 'False: its bytes are gone from the storage.', example: true })
  available: boolean;

  @ApiProperty({
    description: 'When it was erased for good. Null: it was not.',
    type: String,
    nullable: true,
    format: 'date-time',
    example: null,
  })
  erased_at: string | null;

  @ApiProperty({
    description:
      'The Content Credentials that an upload arrived with. Null: it had none, or is no upload. If they were too large to be ' +
      'kept, only `valid` and `problems` are known.',
    type: CredentialsResponse,
    nullable: true,
  })
  credentials: CredentialsResponse | null;
}

class PassportPictureResponse {
  @ApiProperty(id)
  asset_id: string;

  @ApiProperty({ example: 'on_model_render' })
  kind: string;

  @ApiProperty({ example: 'image/jpeg' })
  content_type: string;

  @ApiProperty({
    description: "Of the stored bytes, in hex. Null: it was erased with the job's words.",
    type: String,
    nullable: true,
    ...digest,
  })
  sha256: string | null;

  @ApiProperty({ description: 'False: its bytes are gone from the storage.', example: true })
  available: boolean;

  @ApiProperty({
    description: 'When it was erased for good. Null: it was not.',
    type: String,
    nullable: true,
    format: 'date-time',
    example: null,
  })
  erased_at: string | null;

  @ApiProperty({ description: 'Null: it has none.', type: CredentialsResponse, nullable: true })
  credentials: CredentialsResponse | null;
}

export class PassportResponse {
  @ApiProperty(id)
  public_id: string;

  @ApiProperty({ enum: ['live', 'test'], example: 'live' })
  environment: string;

  @ApiProperty({ example: 'product-to-model-direct' })
  workflow: string;

  @ApiProperty({ example: 'sketch' })
  engine: string;

  @ApiProperty({ example: 'sketch' })
  model: string;

  @ApiProperty(time)
  ordered_at: string;

  @ApiProperty(time)
  finished_at: string;

  @ApiProperty({ type: OrderResponse })
  order: OrderResponse;

  @ApiProperty({ type: [PassportInputResponse] })
  inputs: PassportInputResponse[];

  @ApiProperty({ description: 'The final pictures.', type: [PassportPictureResponse] })
  pictures: PassportPictureResponse[];
}

export function presentCredentials(
  credentials: Credentials,
  { timeStamp, expired }: JudgedTime,
): CredentialsResponse {
  const { problems: found, signedBy, generator, actions, ingredients } = credentials;
  return {
    valid: found.length === 0,
    problems: [...found],
    signed_by: signedBy && {
      subject: signedBy.subject,
      fingerprint: signedBy.fingerprint,
      expires_at: signedBy.notAfter.toISOString(),
      expired: expired ?? false,
    },
    time_stamp: timeStamp && { ...timeStamp, time: timeStamp.time?.toISOString() ?? null },
    generator,
    actions: actions.map(({ action, digitalSourceType }) => ({
      action,
      digital_source_type: digitalSourceType,
    })),
    ingredients: ingredients.map(({ title, relationship, hasManifest }) => ({
      title,
      relationship,
      has_credentials: hasManifest,
    })),
  };
}
