import { createHash } from 'node:crypto';
import { decode } from 'cborg';
import { boxesHold } from './bmff.js';
import { carrierOf, extract, type Place } from './carriers.js';
import { checkSignature, leniently, type Fields, type FoundStamp } from './claim-signature.js';
import { hashed, readSuperbox, type Superbox } from './jumbf.js';
import { bindingLabel, boxBindingLabel, signatureLabel } from './manifest.js';
import { orderLabel, type OrderAssertion } from './order-assertion.js';

/**
 * The statements in a picture's credentials, and whether they hold. They are those of its own manifest; `isWhole` tells
 * about all of the store.
 */
export interface Credentials {
  /** Codes of C2PA for what is wrong; empty: the picture is what was signed. */
  readonly problems: readonly Problem[];
  /** The certificate that signed; null: it cannot be read. */
  readonly signedBy: {
    readonly subject: string;
    readonly fingerprint: string;
    readonly notBefore: Date;
    readonly notAfter: Date;
  } | null;
  /** The time-stamp of the signature, not judged yet; undefined: it has none. */
  readonly stamp: FoundStamp | undefined;
  /** Null: it does not say. */
  readonly generator: string | null;
  readonly actions: readonly { readonly action: string; readonly digitalSourceType: string | null }[];
  readonly ingredients: readonly {
    readonly title: string | null;
    readonly relationship: string | null;
    /** Whether it brought a manifest of its own. */
    readonly hasManifest: boolean;
  }[];
  /** Our own assertion; undefined: another service signed it. */
  readonly order: OrderAssertion | undefined;
  /** The manifest store, for comparisons. */
  readonly store: Buffer;
}

export type Problem =
  | 'claim.malformed'
  | 'claimSignature.mismatch'
  | 'assertion.hashedURI.mismatch'
  | 'assertion.missing'
  | 'assertion.dataHash.mismatch'
  | 'assertion.bmffHash.mismatch'
  | 'claim.hardBindings.missing'
  | 'ingredient.manifest.missing'
  | 'ingredient.manifest.mismatch'
  /** The picture is bound to its manifest in a way that is not checked here. */
  | 'general.error';

/** Undefined: the bytes are no picture of a known format, or have no credentials. */
export function readCredentials(bytes: Buffer): Credentials | undefined {
  const type = carrierOf(bytes);
  let found: ReturnType<typeof extract>;
  try {
    found = type && extract(bytes, type);
  } catch (error) {
    // The lengths in a broken picture lead nowhere.
    if (!(error instanceof RangeError)) throw error;
  }
  if (!found) return undefined;
  const { store, place } = found;
  const check = type === 'image/avif' ? checkBoxes : checkBinding;
  return readStore(store, (bindings) => check(bytes, bindings, place));
}

/** Credentials that are kept apart from their picture. @param problems those that were found while both were together */
export function readKeptCredentials(store: Buffer, problems: readonly Problem[]): Credentials {
  return { ...readStore(store, () => []), problems };
}

/** Whether each manifest of a store is what was signed, and is the one that the later ones name. */
export function isWhole(store: Buffer): boolean {
  try {
    const manifests = readSuperbox(store).children;
    const labels = new Set(manifests.map(({ label }) => label));
    const isNamed = (links: readonly Fields[]) => checkTaken(links, manifests).length === 0;
    const areWhole = manifests.map((each) => readManifest(each));
    return (
      labels.size === manifests.length &&
      areWhole.every(({ problems, earlier }) => problems.length === 0 && isNamed(earlier))
    );
  } catch {
    return false;
  }
}

/** @param check finds what is wrong between the manifest and its picture */
function readStore(store: Buffer, check: (bindings: Bindings) => Problem[]): Credentials {
  try {
    const outer = readSuperbox(store);
    // The last manifest of a store is that of the picture itself (C2PA 2.2, 11.1.4).
    const { bindings, earlier: _, taken, problems, ...said } = readManifest(outer.children.at(-1)!);
    const isInPlace = outer.kind === 'c2pa' && outer.label === 'c2pa';
    const all = [
      ...(isInPlace ? [] : ['claim.malformed' as const]),
      ...problems,
      ...checkTaken(taken, outer.children),
      ...check(bindings),
    ];
    return { ...said, problems: [...new Set(all)], store };
  } catch {
    // On forged bytes, the parsers throw errors of several kinds.
    return { ...nothing, problems: ['claim.malformed'], store };
  }
}

const nothing = {
  signedBy: null,
  stamp: undefined,
  generator: null,
  actions: [],
  ingredients: [],
  order: undefined,
};

/** The assertions that bind a manifest to its picture, by their labels. */
type Bindings = ReadonlyMap<string, Fields>;

/** @throws if its form is not that of a manifest */
function readManifest(manifest: Superbox) {
  const part = (kind: string, label: string) =>
    manifest.children.find((child) => child.kind === kind && child.label.startsWith(label))!;
  // Nothing covers the label of the claim, which names its version.
  const isClaim = ({ kind, label }: Superbox) => kind === 'c2cl' && /^c2pa[.]claim(?:[.]v2)?$/.test(label);
  const claimBytes = cborOf(manifest.children.find(isClaim)!);
  const claim = decode(claimBytes, leniently) as Fields;
  const assertions = part('c2as', 'c2pa.assertions').children;
  const labelled = (prefix: string) =>
    assertions
      .filter(({ kind, label }) => kind === 'cbor' && label.startsWith(prefix))
      .map((each) => [each.label, decode(cborOf(each), leniently) as Fields] as const);
  const data = (prefix: string) => labelled(prefix).map(([, fields]) => fields);
  const signature = checkSignature(cborOf(part('c2cs', signatureLabel)), claimBytes);
  const isNamed = manifest.kind === 'c2ma' && namesSignature(claim, manifest);
  const problems: Problem[] = [
    ...(isNamed ? [] : ['claim.malformed' as const]),
    ...(signature.holds ? [] : ['claimSignature.mismatch' as const]),
    ...checkLinks(claim, assertions),
  ];
  const ingredients = data('c2pa.ingredient').map((each) => ({
    title: textOf(each.get('dc:title')),
    relationship: textOf(each.get('relationship')),
    active: each.get('activeManifest') as Fields | undefined,
    manifest: (each.get('activeManifest') ?? each.get('c2pa_manifest')) as Fields | undefined,
  }));
  return {
    problems,
    bindings: new Map(labelled('c2pa.hash.')),
    /** The links to the manifests of its ingredients. */
    earlier: ingredients.flatMap(({ manifest: link }) => (link ? [link] : [])),
    /**
     * Those links whose hash covers a whole manifest. In older versions of C2PA the hash covers less, and a redacted manifest
     * no longer has the hash that was signed.
     */
    taken: claim.has('redacted_assertions') ? [] : ingredients.flatMap(({ active }) => active ?? []),
    signedBy: signature.by,
    stamp: signature.stamp,
    generator: generatorOf(claim),
    actions: data('c2pa.actions').flatMap(actionsOf),
    ingredients: ingredients.map(({ title, relationship, manifest: link }) => ({
      title,
      relationship,
      hasManifest: link !== undefined,
    })),
    order: orderOf(assertions),
  };
}

/** The claim names its manifest by the place of its signature. */
function namesSignature(claim: Fields, { label }: Superbox): boolean {
  const url = claim.get('signature');
  return url === `self#jumbf=/c2pa/${label}/${signatureLabel}` || url === `self#jumbf=${signatureLabel}`;
}

function cborOf({ content }: Superbox): Buffer {
  const [found] = content.filter(({ type }) => type === 'cbor');
  if (!found) throw new RangeError('a box has no content');
  return found.bytes;
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? (value as Fields[]) : []);

function generatorOf(claim: Fields): string | null {
  const info = claim.get('claim_generator_info');
  // Claims of version 1 have a list.
  const fields = (Array.isArray(info) ? info[0] : info) as Fields | undefined;
  if (!fields) return textOf(claim.get('claim_generator'));
  return [fields.get('name'), fields.get('version')].map(textOf).filter(Boolean).join(' ') || null;
}

function actionsOf(data: Fields): Credentials['actions'] {
  return listOf(data.get('actions')).map((each) => ({
    action: String(each.get('action')),
    digitalSourceType: textOf(each.get('digitalSourceType')),
  }));
}

function orderOf(assertions: readonly Superbox[]): OrderAssertion | undefined {
  const found = assertions.find(({ label }) => label === orderLabel);
  // Whether it says the truth is compared with the log, so its form does not matter here.
  return found && (decode(cborOf(found), { useMaps: false }) as OrderAssertion);
}

/** Every assertion that the claim lists must be there and have the hash that the claim names. */
function checkLinks(claim: Fields, assertions: readonly Superbox[]): Problem[] {
  const links = ['created_assertions', 'gathered_assertions', 'assertions'].flatMap((name) =>
    listOf(claim.get(name)),
  );
  const byLabel = new Map(assertions.map((each) => [each.label, each]));
  const listed = new Set<string>();
  const problems: Problem[] = [];
  for (const link of links) {
    const label = String(link.get('url')).split('/').at(-1) ?? '';
    // Each is hashed once, however often a claim lists it.
    if (listed.has(label)) continue;
    listed.add(label);
    const target = byLabel.get(label);
    const digest = link.get('hash') as Uint8Array;
    if (!target) problems.push('assertion.missing');
    else if (!digestBy(link, textOf(claim.get('alg')) ?? 'sha256', target).equals(digest))
      problems.push('assertion.hashedURI.mismatch');
  }
  // An assertion that the claim does not list was put in afterwards.
  if (byLabel.size < assertions.length || assertions.some(({ label }) => !listed.has(label)))
    problems.push('assertion.hashedURI.mismatch');
  return problems;
}

/**
 * The manifests that the picture's own manifest has taken in must be there, and be those that it names. The reference
 * validator (c2pa-rs in `@contentauth/c2pa-node` 0.8.0) does not report a byte that was changed in them.
 */
function checkTaken(links: readonly Fields[], manifests: readonly Superbox[]): Problem[] {
  return links.flatMap((link) => {
    const label = String(link.get('url')).split('/').at(-1);
    const target = manifests.find((each) => each.label === label);
    if (!target) return ['ingredient.manifest.missing' as const];
    const holds = digestBy(link, 'sha256', target).equals(link.get('hash') as Uint8Array);
    return holds ? [] : ['ingredient.manifest.mismatch' as const];
  });
}

/** The digest of a box by the algorithm that the link to it names. */
function digestBy(link: Fields, otherwise: string, { bytes }: Superbox): Buffer {
  return createHash(textOf(link.get('alg')) ?? otherwise)
    .update(hashed(bytes))
    .digest();
}

function checkBinding(bytes: Buffer, bindings: Bindings, place: Place): Problem[] {
  const binding = bindings.get(bindingLabel);
  if (binding) return fits(bytes, binding, place) ? [] : ['assertion.dataHash.mismatch'];
  return [bindings.size > 0 ? 'general.error' : 'claim.hardBindings.missing'];
}

/** The second version of the binding is hashed like the third; the first does not hash where the boxes are. */
function checkBoxes(bytes: Buffer, bindings: Bindings): Problem[] {
  const binding = bindings.get(boxBindingLabel) ?? bindings.get('c2pa.hash.bmff.v2');
  const holds = binding && boxesHold(bytes, binding, textOf(binding.get('alg')) ?? 'sha256');
  if (holds !== undefined) return holds ? [] : ['assertion.bmffHash.mismatch'];
  return [bindings.size > 0 ? 'general.error' : 'claim.hardBindings.missing'];
}

/** Whether the bytes around the manifest have the hash that was signed, and nothing else is left out of it. */
function fits(bytes: Buffer, binding: Fields, place: Place): boolean {
  const [exclusion, ...more] = listOf(binding.get('exclusions'));
  const { start, length } = place;
  if (more.length > 0 || exclusion?.get('start') !== start || exclusion.get('length') !== length)
    return false;
  const digest = createHash(textOf(binding.get('alg')) ?? 'sha256');
  digest.update(bytes.subarray(0, start)).update(bytes.subarray(start + length));
  return digest.digest().equals(binding.get('hash') as Uint8Array);
}
