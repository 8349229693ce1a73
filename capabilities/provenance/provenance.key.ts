import { createPrivateKey, sign, X509Certificate, type KeyObject } from 'node:crypto';

/** Signs the claims of pictures. It shows its certificates, and never its key. */
export interface ClaimSigner {
  /** COSE's number of the algorithm (RFC 9053). */
  readonly algorithm: number;
  /** DER, the signing certificate first. */
  readonly chain: readonly Buffer[];
  readonly certificate: SigningCertificate;
  sign(bytes: Buffer): Buffer;
}

export interface SigningCertificate {
  readonly subject: string;
  /** The installation's own: no verifier knows its root. */
  readonly isHomeMade: boolean;
  /** SHA-256 of the certificate, in hex. */
  readonly fingerprint: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** Extended key usages with which C2PA lets a certificate sign (C2PA 2.2, 14.5.1): e-mail, documents, and its own. */
const signingUsages = new Set(['1.3.6.1.5.5.7.3.4', '1.3.6.1.5.5.7.3.36', '1.3.6.1.4.1.62558.2.1']);

/** The subject's common name of certificates that `npm start` makes. */
export const homeMadeName = 'Atelier pictures of this installation';

const pemCertificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Reads a certificate and its private key as PEM. Both may stand in one file. Settings that hold one line may write
 * line breaks as `\n`.
 * @throws TypeError if pictures cannot be signed with them, without repeating the texts
 */
export function readClaimSigner(certificates: string, privateKey: string): ClaimSigner {
  const chain = chainOf(certificates);
  const key = keyOf(withLines(privateKey));
  if (!chain[0].checkPrivateKey(key))
    throw new TypeError(
      'ATELIER_PROVENANCE_KEY is not the key of the certificate in ATELIER_PROVENANCE_CERT',
    );
  return { chain: chain.map(({ raw }) => raw), certificate: factsOf(chain[0]), ...algorithmOf(key) };
}

/** Reads the certificate that signs, and that its chain follows. @throws TypeError if pictures cannot be signed with it */
export function readSigningCertificate(certificates: string): SigningCertificate {
  return factsOf(chainOf(certificates)[0]);
}

/**
 * The certificates of authorities of time, or of those that issue to them, as PEM.
 * @throws TypeError if they cannot be read
 */
export function readAuthorities(certificates: string): X509Certificate[] {
  const found = certificatesIn(certificates, 'ATELIER_PROVENANCE_TSA_CERT');
  if (found.length === 0 && certificates !== '')
    throw new TypeError('ATELIER_PROVENANCE_TSA_CERT must hold certificates as PEM');
  return found;
}

const withLines = (text: string) => text.replaceAll('\\n', '\n');

function chainOf(certificates: string): [X509Certificate, ...X509Certificate[]] {
  const [leaf, ...rest] = certificatesIn(certificates, 'ATELIER_PROVENANCE_CERT');
  if (!leaf) throw new TypeError('ATELIER_PROVENANCE_CERT must hold a certificate as PEM');
  if (leaf.ca)
    throw new TypeError(
      'ATELIER_PROVENANCE_CERT must begin with the certificate that signs, not with that of an authority',
    );
  // The types do not know that it is undefined in certificates without the extension.
  const usages = leaf.keyUsage as string[] | undefined;
  if (!usages?.some((usage) => signingUsages.has(usage)))
    throw new TypeError(
      'ATELIER_PROVENANCE_CERT must have the extended key usage of signing e-mail or documents, which C2PA requires',
    );
  return [leaf, ...rest];
}

export const factsOf = ({
  subject,
  fingerprint256,
  validFrom,
  validTo,
}: X509Certificate): SigningCertificate => ({
  subject: subject.replaceAll('\n', ', '),
  isHomeMade: subject.split('\n').includes(`CN=${homeMadeName}`),
  fingerprint: fingerprint256.replaceAll(':', '').toLowerCase(),
  notBefore: new Date(validFrom),
  notAfter: new Date(validTo),
});

/** Why the certificate signs nothing at a time; undefined: it may sign. */
export function lapseOf(
  { notBefore, notAfter }: Pick<SigningCertificate, 'notBefore' | 'notAfter'>,
  at: Date,
): string | undefined {
  if (at > notAfter) return `expired on ${notAfter.toISOString()}`;
  return at < notBefore ? `is not valid before ${notBefore.toISOString()}` : undefined;
}

/** @param setting that holds the text */
function certificatesIn(text: string, setting: string): X509Certificate[] {
  try {
    return [...withLines(text).matchAll(pemCertificate)].map(([pem]) => new X509Certificate(pem));
  } catch {
    throw new TypeError(`${setting} holds a certificate that cannot be read`);
  }
}

function keyOf(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    // OpenSSL's message may repeat the text.
    throw new TypeError('ATELIER_PROVENANCE_KEY must hold a private key as PEM, without a passphrase');
  }
}

/** The elliptic curves that C2PA allows, with COSE's numbers and their hashes. */
const curves: Readonly<Record<string, readonly [algorithm: number, hash: string]>> = {
  prime256v1: [-7, 'sha256'],
  secp384r1: [-35, 'sha384'],
  secp521r1: [-36, 'sha512'],
};

function algorithmOf(key: KeyObject): Pick<ClaimSigner, 'algorithm' | 'sign'> {
  if (key.asymmetricKeyType === 'ed25519') return { algorithm: -8, sign: (bytes) => sign(null, bytes, key) };
  const curve = curves[key.asymmetricKeyDetails?.namedCurve ?? ''];
  if (key.asymmetricKeyType !== 'ec' || !curve)
    throw new TypeError(
      'ATELIER_PROVENANCE_KEY must be an Ed25519 key, or one of the curves P-256, P-384 or P-521',
    );
  const [algorithm, hash] = curve;
  return { algorithm, sign: (bytes) => sign(hash, bytes, { key, dsaEncoding: 'ieee-p1363' }) };
}
