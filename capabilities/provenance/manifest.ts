import { createHash, hash } from 'node:crypto';
import { encode, Tagged } from 'cborg';
import { boxesLeftOut, digestOfBoxes } from './bmff.js';
import { around, embed, gapFor, type CarrierType, type Place } from './carriers.js';
import { box, hashed, superbox } from './jumbf.js';
import type { ClaimSigner } from './provenance.key.js';
import { roomFor, roomWith } from './time-stamp-room.js';

/** The statements of a manifest about a picture, in the terms of C2PA. */
export interface Statement {
  /** The picture's place in the log: the same picture gets the same names, when it is signed again. */
  readonly subject: string;
  readonly generator: { readonly name: string; readonly version: string };
  readonly actions: readonly ActionTaken[];
  readonly ingredients: readonly Ingredient[];
  /** An assertion of our own. */
  readonly own: { readonly label: string; readonly data: object };
}

export interface ActionTaken {
  readonly action: 'c2pa.created' | 'c2pa.opened' | 'c2pa.edited';
  /** ISO 8601, UTC. */
  readonly when: string;
  readonly softwareAgent: { readonly name: string; readonly version?: string };
  readonly digitalSourceType?: string;
  /** Indexes of the ingredients that it took. */
  readonly ingredients: readonly number[];
}

export interface Ingredient {
  readonly title: string;
  readonly relationship: 'parentOf' | 'inputTo';
  /** SHA-256 of its bytes, in hex. */
  readonly sha256: string;
  /** Its own credentials, which become a part of the picture's. */
  readonly inherited?: InheritedManifests | undefined;
}

/** The manifests that an ingredient brings along. */
export interface InheritedManifests {
  /** All of its store. The last one is the ingredient's own. */
  readonly manifests: readonly InheritedManifest[];
  /** SHA-256 of the own manifest and of its signature. */
  readonly digests: { readonly manifest: Buffer; readonly signature: Buffer };
  /** The checks of the own manifest when it arrived, as C2PA names them. */
  readonly results: {
    readonly success: readonly CheckResult[];
    readonly informational: readonly CheckResult[];
    readonly failure: readonly CheckResult[];
  };
}

export interface InheritedManifest {
  readonly label: string;
  readonly bytes: Buffer;
}

interface CheckResult {
  readonly code: string;
  /** What was checked. */
  readonly url: string;
}

/** COSE's numbers (RFC 9052, RFC 9360). */
const cose = { sign1: 18, algorithm: 1, certificates: 33 };
const dateTag = 0;
const algorithm = 'sha256';
export const signatureLabel = 'c2pa.signature';
export const claimLabel = 'c2pa.claim.v2';
/** The assertions that bind a manifest to a range of its file, and to boxes of it. */
export const bindingLabel = 'c2pa.hash.data';
export const boxBindingLabel = 'c2pa.hash.bmff.v3';

interface Assertion {
  readonly label: string;
  readonly bytes: Buffer;
}

/** A picture that is signed, before it gets its time-stamp. */
export interface SignedPicture {
  /** The bytes that a time-stamp is about. */
  readonly stamped: Buffer;
  /** The picture with its manifest, and with this time-stamp in it. Undefined: the token does not fit into its room. */
  withToken(token: Buffer): Buffer | undefined;
}

/**
 * The picture with its manifest: the claim, the assertions that it lists, and the signature over it (C2PA 2.2). The
 * picture's own bytes do not change. The same picture and statement give the same bytes if the signature does not
 * draw a random number, as with Ed25519.
 * @throws RangeError if the picture is broken
 */
export function withManifest(
  bytes: Buffer,
  type: CarrierType,
  statement: Statement,
  signer: ClaimSigner,
): Buffer {
  const { parts, signed } = signedAround(bytes, type, statement, signer, {});
  return embed(parts, type, signed.storeWith({}));
}

/**
 * The same for a picture that gets a time-stamp (C2PA 2.2, 10.3.2.5). An authority stamps the signature, which covers
 * the manifest's length. So the token comes last, into a room that was left for it.
 * @param roomBytes for the token
 */
export function signPicture(
  bytes: Buffer,
  type: CarrierType,
  statement: Statement,
  signer: ClaimSigner,
  roomBytes: number,
): SignedPicture {
  const { parts, signed } = signedAround(bytes, type, statement, signer, roomFor(roomBytes));
  return {
    stamped: stampedBytes(signed.head, signed.signature),
    withToken: (token) => {
      const header = roomWith(token, roomBytes);
      return header && embed(parts, type, signed.storeWith(header));
    },
  };
}

/** @param open the header outside of the signature; only its length counts */
function signedAround(
  bytes: Buffer,
  type: CarrierType,
  statement: Statement,
  signer: ClaimSigner,
  open: object,
): { readonly parts: [Buffer, Buffer]; readonly signed: SignedClaim } {
  const said = assertionsOf(statement);
  const sign = (gap: Place, digest: Buffer) =>
    signManifest(statement, [...said, bindingTo(type, gap, digest)], signer);
  // The manifest says where it is, and its length depends on how many digits that takes: two or three rounds.
  let gap = gapFor(bytes, type, 0);
  for (let found = false; !found;) {
    const next = gapFor(bytes, type, sign(gap, Buffer.alloc(digestBytes)).storeWith(open).length);
    found = next.length === gap.length;
    gap = next;
  }
  const parts = around(bytes, type, gap);
  const digest = type === 'image/avif' ? digestOfBoxes(parts, gap) : digestOf(parts);
  return { parts, signed: sign(gap, digest) };
}

const digestBytes = 32;

/** The assertion that says which bytes of the picture have this digest. */
function bindingTo(type: CarrierType, gap: Place, digest: Buffer): Assertion {
  const said = { name: 'jumbf manifest', alg: algorithm, hash: digest };
  if (type === 'image/avif') return cborAssertion(boxBindingLabel, { exclusions: boxesLeftOut, ...said });
  return cborAssertion(bindingLabel, { exclusions: [gap], ...said, pad: Buffer.alloc(0) });
}

export function digestOf(parts: readonly Buffer[]): Buffer {
  const digest = createHash(algorithm);
  for (const part of parts) digest.update(part);
  return digest.digest();
}

function assertionsOf({ actions, ingredients, own }: Statement): Assertion[] {
  const taken = ingredients.map((ingredient, index) => ingredientAssertion(ingredient, index));
  return [
    cborAssertion('c2pa.actions.v2', { actions: actions.map((action) => actionOf(action, taken)) }),
    ...taken,
    cborAssertion(own.label, own.data),
  ];
}

function ingredientAssertion(
  { title, relationship, sha256, inherited }: Ingredient,
  index: number,
): Assertion {
  const label = `c2pa.ingredient.v3${index === 0 ? '' : `__${index}`}`;
  const named = { 'dc:title': title, relationship, instanceID: hashName(sha256) };
  return cborAssertion(label, { ...named, ...(inherited && linksTo(inherited)) });
}

function linksTo({ manifests, digests, results }: InheritedManifests): object {
  const url = `self#jumbf=/c2pa/${manifests.at(-1)!.label}`;
  return {
    validationResults: { activeManifest: results },
    activeManifest: { url, alg: algorithm, hash: digests.manifest },
    claimSignature: { url: `${url}/${signatureLabel}`, alg: algorithm, hash: digests.signature },
  };
}

/** The name of bytes by their hash (RFC 6920). */
const hashName = (sha256: string) => `ni:///sha-256;${Buffer.from(sha256, 'hex').toString('base64url')}`;

function actionOf({ when, ingredients, ...action }: ActionTaken, all: readonly Assertion[]): object {
  const taken = ingredients.map((index) => linkTo(all[index]!));
  const parameters = taken.length > 0 && { parameters: { ingredients: taken } };
  return { ...action, when: new Tagged(dateTag, when), ...parameters };
}

function cborAssertion(label: string, data: object): Assertion {
  return { label, bytes: superbox('cbor', label, box('cbor', encode(data))) };
}

/** A link that also names the hash of its target. */
function linkTo({ label, bytes }: Assertion): object {
  const url = `self#jumbf=c2pa.assertions/${label}`;
  return { url, hash: createHash(algorithm).update(hashed(bytes)).digest() };
}

interface SignedClaim {
  /** What the signature says of itself, and covers. */
  readonly head: Uint8Array;
  readonly signature: Buffer;
  /** The manifest store. @param open the header that the signature does not cover */
  storeWith(open: object): Buffer;
}

function signManifest(
  statement: Statement,
  assertions: readonly Assertion[],
  { algorithm: number, chain, sign }: ClaimSigner,
): SignedClaim {
  const label = `urn:c2pa:${uuidOf(`manifest ${statement.subject}`)}`;
  const claim = encode({
    instanceID: `xmp:iid:${uuidOf(`instance ${statement.subject}`)}`,
    claim_generator_info: statement.generator,
    signature: `self#jumbf=/c2pa/${label}/${signatureLabel}`,
    created_assertions: assertions.map(linkTo),
    alg: algorithm,
  });
  const head = encode(
    new Map<number, unknown>([
      [cose.algorithm, number],
      [cose.certificates, chain.length === 1 ? chain[0] : chain],
    ]),
  );
  const signature = sign(signedBytes(head, claim));
  const manifestWith = (cose1: Uint8Array) =>
    superbox(
      'c2ma',
      label,
      superbox('c2as', 'c2pa.assertions', ...assertions.map(({ bytes }) => bytes)),
      superbox('c2cl', claimLabel, box('cbor', claim)),
      superbox('c2cs', signatureLabel, box('cbor', cose1)),
    );
  return {
    head,
    signature,
    storeWith: (open) => {
      // COSE_Sign1 with a detached payload.
      const sign1 = encode(new Tagged(cose.sign1, [head, open, null, signature]));
      return superbox('c2pa', 'c2pa', ...inheritedBy(statement), manifestWith(sign1));
    },
  };
}

/** Each manifest once: ingredients may have some in common. */
function inheritedBy({ ingredients }: Statement): Iterable<Buffer> {
  const all = ingredients.flatMap(({ inherited }) => inherited?.manifests ?? []);
  return new Map(all.map(({ label, bytes }) => [label, bytes])).values();
}

/** Sig_structure of RFC 9052, 4.4. */
export function signedBytes(head: Uint8Array, claim: Uint8Array): Buffer {
  return Buffer.from(encode(['Signature1', head, new Uint8Array(), claim]));
}

/** The bytes that an authority stamps: a countersignature's structure around the signature (C2PA 2.2, 10.3.2.5). */
export function stampedBytes(head: Uint8Array, signature: Uint8Array): Buffer {
  return countersigned(head, encode(signature));
}

/** Sig_structure of RFC 8152, 4.4, for a countersignature. */
export function countersigned(head: Uint8Array, payload: Uint8Array): Buffer {
  return Buffer.from(encode(['CounterSignature', head, new Uint8Array(), payload]));
}

/** A UUID of a name. C2PA wants the form of version 4, whose digits are otherwise random. */
function uuidOf(name: string): string {
  const bytes = Buffer.from(hash(algorithm, name, 'buffer').subarray(0, 16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
