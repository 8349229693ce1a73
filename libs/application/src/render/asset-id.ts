import { createHash } from 'node:crypto';

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * The id of a picture that a render made, in the shape of a ULID. It is derived and not drawn, so that storing the
 * same picture of the same attempt again stores it under the same name.
 */
export function renderedAssetId(jobId: string, attempt: number, index: number): string {
  const digest = createHash('sha256').update(`${jobId}/${attempt}/${index}`).digest('hex');
  // A ULID is 128 bits in 26 characters of 5 bits, so the first one carries only 3.
  let rest = BigInt(`0x${digest.slice(0, 32)}`);
  let id = '';
  for (let place = 0; place < 26; place++) {
    id = (crockford[Number(rest & 31n)] ?? '') + id;
    rest >>= 5n;
  }
  return id;
}
