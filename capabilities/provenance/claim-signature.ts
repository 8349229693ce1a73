import { constants, verify, X509Certificate, type KeyObject } from 'node:crypto';
import { decode, Tagged, type DecodeOptions } from 'cborg';
import { countersigned, signedBytes, stampedBytes } from './manifest.js';
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

/** A time-stamp as it stands beside a signature, before it is judged. */
export interface FoundStamp {
  readonly token: Buffer;
  /** What it should be about. */
  readonly stamped: Buffer;
}

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
  const { subject, fingerprint, notBefore, notAfter } = factsOf(leaf);
  const signed = signedBytes(head, payload ?? claim);
  return {
    by: { subject, fingerprint, notBefore, notAfter },
    holds: holds(fields.get(1), signed, leaf.publicKey, value),
    stamp: stampIn(open, head, value, payload ?? claim),
  };
}

/**
 * The time-stamp of a signature (C2PA 2.2, 10.3.2.5). The older form, `sigTst`, is about the claim instead of the
 * signature, and holds the authority's whole answer.
 */
function stampIn(
  open: Fields,
  head: Uint8Array,
  signature: Uint8Array,
  claim: Uint8Array,
): FoundStamp | undefined {
  const container = open.get('sigTst2') ?? open.get('sigTst');
  if (!(container instanceof Map)) return undefined;
  const tokens: unknown = container.get('tstTokens');
  const token: unknown = Array.isArray(tokens) && tokens[0] instanceof Map && tokens[0].get('val');
  // C2PA allows one. Something else counts as a token that cannot be read.
  const isOne = Array.isArray(tokens) && tokens.length === 1 && token instanceof Uint8Array;
  const stamped = open.has('sigTst2') ? stampedBytes(head, signature) : countersigned(head, claim);
  return { token: isOne ? Buffer.from(token) : Buffer.alloc(0), stamped };
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
