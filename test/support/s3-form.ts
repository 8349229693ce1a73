import { createHmac } from 'node:crypto';
import type { S3StorageOptions } from '#storage/s3/s3-storage.js';

type Condition = Readonly<Record<string, string>> | (string | number)[];

interface Policy {
  readonly expiration: string;
  readonly conditions: readonly Condition[];
}

/** What a server with the S3 API answers to a form. */
export type FormAnswer =
  | { readonly status: 204; readonly key: string; readonly bytes: Buffer; readonly type: string | undefined }
  | { readonly status: 400 | 403; readonly code: string };

const denied = { status: 403, code: 'AccessDenied' } as const;

/**
 * Judges a form as S3 does: the signature, the end of its time, each condition of its policy, and each field, which must
 * be in a condition.
 */
export async function answerToForm(
  body: Buffer<ArrayBuffer>,
  contentType: string,
  bucket: string,
  options: S3StorageOptions,
): Promise<FormAnswer> {
  const form = await new Response(body, { headers: { 'content-type': contentType } })
    .formData()
    .catch(() => undefined);
  const entries = [...(form?.entries() ?? [])];
  const [last, file] = entries.pop() ?? [];
  if (last !== 'file' || !(file instanceof File)) return { status: 400, code: 'InvalidArgument' };
  const fields = new Map<string, string>();
  for (const [name, value] of entries) {
    if (typeof value !== 'string') return { status: 400, code: 'InvalidArgument' };
    fields.set(name.toLowerCase(), value);
  }
  const encoded = fields.get('policy') ?? '';
  if (!isSigned(fields, encoded, options)) return { status: 403, code: 'SignatureDoesNotMatch' };
  const policy = JSON.parse(Buffer.from(encoded, 'base64').toString()) as Policy;
  const key = fields.get('key') ?? '';
  const known = new Map([...fields, ['bucket', bucket]]);
  const named = new Set(['policy', 'x-amz-signature']);
  for (const condition of conditionsOf(policy)) {
    const [operator, name, value] = condition;
    if (operator === 'content-length-range') {
      if (file.size < Number(name)) return { status: 400, code: 'EntityTooSmall' };
      if (file.size > Number(value)) return { status: 400, code: 'EntityTooLarge' };
      continue;
    }
    const field = String(name).replace(/^\$/, '').toLowerCase();
    named.add(field);
    if (operator !== 'eq' || known.get(field) !== value) return denied;
  }
  if ([...fields.keys()].some((field) => !named.has(field))) return denied;
  if (!(Date.parse(policy.expiration) > Date.now())) return denied;
  return { status: 204, key, bytes: Buffer.from(await file.arrayBuffer()), type: fields.get('content-type') };
}

/** A condition on one field may be written as an object. */
function conditionsOf({ conditions }: Policy) {
  return conditions.flatMap((condition): (readonly (string | number)[])[] =>
    Array.isArray(condition)
      ? [condition]
      : Object.entries(condition).map(([name, value]) => ['eq', name, value]),
  );
}

function isSigned(fields: ReadonlyMap<string, string>, policy: string, options: S3StorageOptions): boolean {
  const { accessKeyId, secretAccessKey, region } = options;
  const [id, day = '', ...scope] = fields.get('x-amz-credential')?.split('/') ?? [];
  const date = fields.get('x-amz-date') ?? '';
  if (fields.get('x-amz-algorithm') !== 'AWS4-HMAC-SHA256' || id !== accessKeyId) return false;
  if (scope.join('/') !== `${region}/s3/aws4_request` || !date.startsWith(`${day}T`)) return false;
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const ofDay = hmac(`AWS4${secretAccessKey}`, day);
  const signature = hmac(hmac(hmac(hmac(ofDay, region), 's3'), 'aws4_request'), policy).toString('hex');
  return fields.get('x-amz-signature') === signature;
}
