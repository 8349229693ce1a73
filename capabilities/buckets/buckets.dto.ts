import { ApiProperty } from '@nestjs/swagger';
import { BooleanField, TextField } from '#validation/fields.js';
import type { ConnectedBucket } from './bucket.js';
import type { PushState } from './pushes.js';

const exampleId = '01K9Z7J0V6X8Y2Z4A6B8C0D2EF';
const time = { format: 'date-time', example: '2026-01-31T12:00:00.000Z' };

/** The forms of texts that are parts of addresses and signatures, as the second halves of sentences. */
const forms = {
  region: [/^[A-Za-z0-9-]+$/, 'must be a region: letters, digits and hyphens'],
  bucket: [
    /^(?!.*--(?:x|ol)-s3$)[a-z0-9][a-z0-9.-]*[a-z0-9]$/,
    'must be the name of a bucket: lower-case letters, digits, dots and hyphens',
  ],
  prefix: [
    /^(?!\/)(?!.*(?:^|\/)\.{0,2}\/)[\w!'()=\-/.]*$/,
    "must be letters, digits and characters of !_'()=-/., without an empty, `.` or `..` folder",
  ],
  access_key_id: [/^[!-~]+$/, 'must be the id of a key: visible ASCII characters, without spaces'],
  secret_access_key: [/^[!-~]+$/, 'must be the secret of a key: visible ASCII characters, without spaces'],
} as const;

export class ConnectBucketBody {
  @TextField({
    description: 'The server with the S3 API: an `https://` address on the internet, without the bucket.',
    min: 1,
    max: 512,
    required: true,
    example: 'https://s3.shop.example',
  })
  endpoint: string;

  @TextField({
    description: 'Its region, under which requests are signed.',
    min: 1,
    max: 64,
    required: true,
    example: 'eu-central-1',
  })
  region: string;

  @TextField({
    description: 'Your bucket, which exists.',
    min: 3,
    max: 63,
    required: true,
    example: 'shop-pictures',
  })
  bucket: string;

  @TextField({
    description: 'Before each key. A folder ends with a slash.',
    max: 256,
    default: '',
    example: 'atelier/',
  })
  prefix: string = '';

  @TextField({
    description: 'The id of a key that may write and delete objects there.',
    min: 1,
    max: 128,
    required: true,
    example: 'AKIAIOSFODNN7EXAMPLE',
  })
  access_key_id: string;

  @TextField({
    description: 'Its secret half. It is stored encrypted, and never shown again.',
    min: 1,
    max: 256,
    required: true,
    example: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  })
  secret_access_key: string;

  @BooleanField({
    description:
      'Whether the bucket is in the path of its address, as MinIO needs it. Otherwise it is in the host name.',
    default: false,
    example: false,
  })
  force_path_style: boolean = false;
}

/** The field whose text has another form, and what is wrong with it. */
export function complaintAboutForm(body: ConnectBucketBody): [field: string, complaint: string] | undefined {
  for (const [field, [form, complaint]] of Object.entries(forms))
    if (!form.test(body[field as keyof typeof forms])) return [field, complaint];
  return undefined;
}

class LastPush {
  @ApiProperty({ minLength: 26, maxLength: 26, example: exampleId })
  job_id: string;

  @ApiProperty(time)
  at: string;
}

class LastPushError extends LastPush {
  @ApiProperty({
    description: 'What the bucket said, or why it was not asked.',
    example: '403 AccessDenied: Access Denied',
  })
  error: string;
}

export class PushesResponse {
  @ApiProperty({
    description: 'Jobs whose pictures are on their way, or wait for the next attempt.',
    type: 'integer',
    minimum: 0,
    example: 0,
  })
  waiting: number;

  @ApiProperty({
    description: 'Jobs that are not tried any more. PUT the settings again to push them.',
    type: 'integer',
    minimum: 0,
    example: 0,
  })
  failed: number;

  @ApiProperty({ type: LastPush, nullable: true, description: 'Of the last 30 days.' })
  last_success: LastPush | null;

  @ApiProperty({ type: LastPushError, nullable: true, description: 'Of the jobs that wait or have failed.' })
  last_error: LastPushError | null;
}

export class BucketResponse {
  @ApiProperty({ example: 'https://s3.shop.example' })
  endpoint: string;

  @ApiProperty({ example: 'eu-central-1' })
  region: string;

  @ApiProperty({ example: 'shop-pictures' })
  bucket: string;

  @ApiProperty({ example: 'atelier/' })
  prefix: string;

  @ApiProperty({ example: 'AKIAIOSFODNN7EXAMPLE' })
  access_key_id: string;

  @ApiProperty({ example: false })
  force_path_style: boolean;

  @ApiProperty({ description: 'Jobs that end from then on are pushed.', ...time })
  connected_at: string;

  @ApiProperty({ description: 'When its settings were last stated.', ...time })
  changed_at: string;

  @ApiProperty({ type: PushesResponse })
  pushes: PushesResponse;
}

export class BucketTestResponse {
  @ApiProperty({ description: 'Whether a small object was written and deleted.', example: true })
  works: boolean;

  @ApiProperty({
    description: 'The HTTP status of the refusal; null without one.',
    type: 'integer',
    nullable: true,
    example: null,
  })
  status_code: number | null;

  @ApiProperty({
    description: 'What the bucket said, or why it was not asked.',
    type: 'string',
    nullable: true,
    example: null,
  })
  error: string | null;
}

export function presentBucket(bucket: ConnectedBucket, state: PushState): BucketResponse {
  const { endpoint, region, bucket: name, prefix, accessKeyId, forcePathStyle } = bucket;
  const { waiting, failed, lastPushed, lastError } = state;
  const moment = (at: string) => new Date(at).toISOString();
  return {
    endpoint,
    region,
    bucket: name,
    prefix,
    access_key_id: accessKeyId,
    force_path_style: forcePathStyle,
    connected_at: bucket.connectedAt,
    changed_at: bucket.changedAt,
    pushes: {
      waiting,
      failed,
      last_success: lastPushed && { job_id: lastPushed.jobId, at: moment(lastPushed.at) },
      last_error: lastError && { job_id: lastError.jobId, at: moment(lastError.at), error: lastError.error },
    },
  };
}
