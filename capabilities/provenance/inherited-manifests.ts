import { createHash } from 'node:crypto';
import { hashed, readSuperbox } from './jumbf.js';
import { bindingLabel, signatureLabel, type InheritedManifest, type InheritedManifests } from './manifest.js';
import { isWhole, type Credentials } from './read-credentials.js';

/** Bytes of the manifests that a picture inherits, together. */
export const inheritedLimitBytes = 1024 * 1024;

/**
 * Chooses whose manifests go into a picture's store, in the order of its ingredients. Undefined: the ingredient has
 * none, or its store is not what was signed (a validator would then refuse the whole picture), or there is no room.
 */
export function inherit(all: readonly (Credentials | undefined)[]): (InheritedManifests | undefined)[] {
  const taken = new Map<string, Buffer>();
  let room = inheritedLimitBytes;
  return all.map((credentials) => {
    if (!credentials || !isWhole(credentials.store)) return undefined;
    const found = manifestsOf(credentials);
    // Several ingredients may have the same manifest; a store has each label once.
    const isOther = ({ label, bytes }: InheritedManifest) => !(taken.get(label)?.equals(bytes) ?? true);
    if (found.manifests.some(isOther)) return undefined;
    const added = found.manifests.filter(({ label }) => !taken.has(label));
    const sizeBytes = added.reduce((sum, { bytes }) => sum + bytes.length, 0);
    if (sizeBytes > room) return undefined;
    room -= sizeBytes;
    for (const { label, bytes } of added) taken.set(label, bytes);
    return found;
  });
}

/** Whether these are the credentials of a picture that has taken in others. */
export function hasInherited({ store }: Credentials): boolean {
  return isWhole(store) && readSuperbox(store).children.length > 1;
}

/** @param credentials of a store that is whole */
function manifestsOf({ store, problems }: Credentials): InheritedManifests {
  const manifests = readSuperbox(store).children;
  const active = manifests.at(-1)!;
  const childOf = (kind: string) => active.children.find((child) => child.kind === kind)!;
  const url = (part: string) => `self#jumbf=/c2pa/${active.label}/${part}`;
  const assertion = (label: string) => url(`c2pa.assertions/${label}`);
  const signature = url(signatureLabel);
  const matching = childOf('c2as').children.map(({ label }) => assertion(label));
  return {
    manifests: manifests.map(({ label, bytes }) => ({ label, bytes })),
    digests: { manifest: digestOf(active.bytes), signature: digestOf(childOf('c2cs').bytes) },
    results: {
      success: [
        { code: 'claimSignature.validated', url: signature },
        ...matching.map((of) => ({ code: 'assertion.hashedURI.match', url: of })),
        ...(problems.length === 0
          ? [{ code: 'assertion.dataHash.match', url: assertion(bindingLabel) }]
          : []),
      ],
      informational: [],
      failure: [
        // This service has no list of certificates to trust.
        { code: 'signingCredential.untrusted', url: signature },
        // The manifest itself is whole, so they are about its picture.
        ...problems.map((code) => ({ code, url: assertion(bindingLabel) })),
      ],
    },
  };
}

const digestOf = (box: Buffer): Buffer => createHash('sha256').update(hashed(box)).digest();
