import { createHmac } from 'node:crypto';
import type { FormTerms } from '../object-storage.js';

/** Who signs, and for which bucket. */
export interface FormSigner {
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

/**
 * The signature of a policy in base64, in hex.
 * @param day `YYYYMMDD`, as in the form's credential
 */
export function signPolicy(
  policy: string,
  day: string,
  { region, secretAccessKey }: Pick<FormSigner, 'region' | 'secretAccessKey'>,
): string {
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  return hmac(key, policy).toString('hex');
}

/**
 * The fields of a form that a caller sends to S3 with one file after them, without credentials of its own (AWS Signature
 * Version 4, POST policy). The server takes no other key, type or field, and no file outside the range.
 */
export function postFields(
  signer: FormSigner,
  key: string,
  { contentType, mostBytes, at, expiresAt }: FormTerms,
): Readonly<Record<string, string>> {
  const { bucket, region, accessKeyId } = signer;
  const time = at.toISOString().replace(/[-:]|\.\d+/g, '');
  const day = time.slice(0, 8);
  const fields = {
    key,
    'Content-Type': contentType,
    'x-amz-algorithm': 'AWS4-HMAC-SHA256',
    'x-amz-credential': `${accessKeyId}/${day}/${region}/s3/aws4_request`,
    'x-amz-date': time,
  };
  const conditions = [
    { bucket },
    ...Object.entries(fields).map(([name, value]) => ['eq', `$${name}`, value]),
    ['content-length-range', 1, mostBytes],
  ];
  const policy = Buffer.from(JSON.stringify({ expiration: expiresAt.toISOString(), conditions })).toString(
    'base64',
  );
  return { ...fields, policy, 'x-amz-signature': signPolicy(policy, day, signer) };
}
