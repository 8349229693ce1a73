import { constants, verify, X509Certificate, type KeyObject } from 'node:crypto';
import { decode, Tagged, type DecodeOptions } from 'cborg';
import { signedBytes } from './manifest.js';
import { factsOf } from './provenance.key.js';

/** Strict about nothing but the form: other services write claims as well. */
export const leniently: DecodeOptions = { useMaps: true, tags: Tagged.preserve(0, 18) };

export type Fields = ReadonlyMap<unknown, unknown>;

/** By COSE's number: the hash, and whether the signature is one of an elliptic curve or of RSA. */
const algorithms: ReadonlyMap<unknown, readonly [hash: string | null, kind: 'plain' | 'ec' | 'pss']> =
  new Map([
    [-8, [null, 'plain']],
    [-7, ['sha256', 'ec']],
    [-35, ['sha384', 'ec']],
    [-36, ['sha512', 'ec']],
    [-37, ['sha256', 'pss']],
    [-38, ['sha384', 'pss']],
    [-39, ['sha512', 'pss']],
  ]);

/** Checks a COSE_Sign1 over a claim, and reads who signed. @throws if its form is not that of one */
export function checkSignature(signature: Buffer, claim: Buffer) {
  const tagged = decode(signature, leniently);
  const [head, open, payload, value] = (tagged instanceof Tagged ? tagged.value : tagged) as [
    Uint8Array,
    Fields,
    Uint8Array | null | undefined,
    Uint8Array,
  ];
  if (payload === undefined) throw new RangeError('a signature names no payload');
  const fields = decode(head, leniently) as Fields;
  const chain = fields.get(33) ?? open.get(33) ?? open.get('x5chain');
  const leaf = new X509Certificate((Array.isArray(chain) ? chain[0] : chain) as Uint8Array);
  const { subject, fingerprint, notAfter } = factsOf(leaf);
  const signed = signedBytes(head, payload ?? claim);
  return {
    by: { subject, fingerprint, notAfter },
    holds: holds(fields.get(1), signed, leaf.publicKey, value),
  };
}

function holds(number: unknown, signed: Buffer, key: KeyObject, value: Uint8Array): boolean {
  const [algorithm, kind] = algorithms.get(number) ?? [null, undefined];
  switch (kind) {
    case 'plain':
      return key.asymmetricKeyType === 'ed25519' && verify(null, signed, key, value);
    case 'ec':
      return verify(algorithm, signed, { key, dsaEncoding: 'ieee-p1363' }, value);
    case 'pss':
      return verify(algorithm, signed, { key, padding: constants.RSA_PKCS1_PSS_PADDING }, value);
    case undefined:
      return false;
    default:
      return kind satisfies never;
  }
}
