import type { X509Certificate } from 'node:crypto';
import { BitString } from 'asn1js';
import { LRUCache } from 'lru-cache';
import { Certificate } from 'pkijs';

/** The extended key usage of authorities of time (RFC 3161, 2.3). */
const timeStamping = '1.3.6.1.5.5.7.3.8';

/** Whether a certificate is in its time. */
export const isValidAt = ({ validFromDate, validToDate }: X509Certificate, at: Date): boolean =>
  at >= validFromDate && at <= validToDate;

// The types do not know that it is undefined in certificates without the extension.
const usagesOf = ({ keyUsage }: X509Certificate) => keyUsage as string[] | undefined;

/** Signatures with SHA-256, 384 or 512 by RSA, RSASSA-PSS or a curve, and Ed25519. */
const signatureAlgorithms =
  /^1[.](?:2[.]840[.]113549[.]1[.]1[.]1[0123]|2[.]840[.]10045[.]4[.]3[.][234]|3[.]101[.]112)$/;
const curves = new Set(['prime256v1', 'secp384r1', 'secp521r1']);

const known = new LRUCache<string, { readonly reason: string | undefined }>({ max: 16 });

/**
 * Why C2PA lets a certificate stamp no pictures (C2PA 2.2, 14.5.1); undefined: it does. The reference validator (c2pa-rs in
 * `@contentauth/c2pa-node` 0.8.0) calls the whole picture invalid for such a time-stamp.
 * @throws Error if it is broken
 */
export function unfitToStamp(leaf: X509Certificate): string | undefined {
  const found = known.get(leaf.fingerprint256) ?? { reason: reasonAgainst(leaf) };
  known.set(leaf.fingerprint256, found);
  return found.reason;
}

function reasonAgainst(leaf: X509Certificate): string | undefined {
  const { extensions = [], signatureAlgorithm } = Certificate.fromBER(leaf.raw);
  const extension = (id: string) => extensions.find(({ extnID }) => extnID === id);
  const usage: unknown = extension('2.5.29.15')?.parsedValue;
  // Digital signature, or non-repudiation.
  const signs = usage instanceof BitString && (usage.valueBlock.valueHexView[0] ?? 0) & 0b1100_0000;
  if (usagesOf(leaf)?.join() !== timeStamping)
    return 'its one extended key usage must be that of time-stamps';
  if (!signs) return 'its key usage must be that of signatures';
  if (leaf.ca) return 'it must be no authority of certificates';
  if (!extension('2.5.29.35')) return 'it must have an authority key identifier';
  if (!signatureAlgorithms.test(signatureAlgorithm.algorithmId)) return 'it must not be signed with SHA-1';
  return isStrong(leaf) ? undefined : 'its key must be RSA of 2,048 bits, P-256, P-384, P-521 or Ed25519';
}

function isStrong({ publicKey: { asymmetricKeyType, asymmetricKeyDetails } }: X509Certificate): boolean {
  const { modulusLength = 0, namedCurve = '' } = asymmetricKeyDetails ?? {};
  return asymmetricKeyType === 'ed25519' || modulusLength >= 2048 || curves.has(namedCurve);
}

/** An authority of certificates may be bound to some uses of those that it issues. */
const mayIssue = (issuer: X509Certificate): boolean =>
  issuer.ca && (usagesOf(issuer)?.includes(timeStamping) ?? true);

/**
 * Whether a chain leads from a certificate to one that is trusted. Each certificate of the chain must be valid at the
 * time. Revocation is not asked for: that would need a network.
 */
export function leadsTo(
  trusted: readonly X509Certificate[],
  leaf: X509Certificate,
  others: readonly X509Certificate[],
  at: Date,
): boolean {
  const isTrusted = ({ fingerprint256 }: X509Certificate) =>
    trusted.some((each) => each.fingerprint256 === fingerprint256);
  const reached = new Set([leaf]);
  // The set grows while this loop goes over it.
  for (const current of reached) {
    if (isTrusted(current)) return true;
    for (const issuer of [...trusted, ...others])
      if (!reached.has(issuer) && mayIssue(issuer) && isValidAt(issuer, at) && hasIssued(issuer, current))
        reached.add(issuer);
  }
  return false;
}

const hasIssued = (issuer: X509Certificate, subject: X509Certificate): boolean =>
  subject.checkIssued(issuer) && subject.verify(issuer.publicKey);
