import { constants, hash, verify, X509Certificate } from 'node:crypto';
import * as asn1 from 'asn1js';
import {
  AlgorithmIdentifier,
  ContentInfo,
  MessageImprint,
  PKIStatus,
  SignedData,
  TimeStampReq,
  TimeStampResp,
  TSTInfo,
  type SignerInfo,
} from 'pkijs';

/** What is known of a time-stamp (RFC 3161) in the credentials of a picture. */
export interface TimeStamp {
  /**
   * C2PA's code. Trusted: an authority that the operator trusts confirms the time. Untrusted: the time-stamp is whole,
   * but no certificate that is trusted here leads to who signed it. The others: it confirms nothing.
   */
  readonly status:
    | 'timeStamp.trusted'
    | 'timeStamp.untrusted'
    | 'timeStamp.mismatch'
    | 'timeStamp.outsideValidity'
    | 'timeStamp.malformed';
  /** The time in it. Null: it cannot be read. */
  readonly time: Date | null;
  /** The subject of the certificate that signed it. Null: none in it did. */
  readonly authority: string | null;
}

const oid = {
  sha256: '2.16.840.1.101.3.4.2.1',
  tstInfo: '1.2.840.113549.1.9.16.1.4',
  signedData: '1.2.840.113549.1.7.2',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  timeStamping: '1.3.6.1.5.5.7.3.8',
  rsaPss: '1.2.840.113549.1.1.10',
};

/** SHA-1 is not among them, because C2PA does not allow it. */
const hashes: Readonly<Record<string, string>> = {
  [oid.sha256]: 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};

/** The hash that the algorithm of a signature names. The digest's algorithm names that of all others. */
const hashOfSignature: Readonly<Record<string, string | null>> = {
  '1.2.840.113549.1.1.11': 'sha256',
  '1.2.840.113549.1.1.12': 'sha384',
  '1.2.840.113549.1.1.13': 'sha512',
  '1.2.840.10045.4.3.2': 'sha256',
  '1.2.840.10045.4.3.3': 'sha384',
  '1.2.840.10045.4.3.4': 'sha512',
  '1.3.101.112': null,
};

/** Authorities send three certificates at most; each costs a check. */
const mostCertificates = 10;

/** @param nonce must come back in the answer */
export function requestFor(stamped: Buffer, nonce: Buffer): Buffer {
  const messageImprint = new MessageImprint({
    hashAlgorithm: new AlgorithmIdentifier({ algorithmId: oid.sha256, algorithmParams: new asn1.Null() }),
    hashedMessage: new asn1.OctetString({ valueHex: hash('sha256', stamped, 'buffer') }),
  });
  const request = new TimeStampReq({
    version: 1,
    messageImprint,
    nonce: new asn1.Integer({ valueHex: nonce }),
    certReq: true,
  });
  return Buffer.from(request.toSchema().toBER());
}

/** The token in an authority's answer. @throws Error if it gives none, or the bytes are no answer */
export function tokenIn(answer: Uint8Array): Buffer {
  const { status, timeStampToken } = responseIn(answer);
  const isGranted = status.status === PKIStatus.granted || status.status === PKIStatus.grantedWithMods;
  if (isGranted && timeStampToken) return Buffer.from(timeStampToken.toSchema().toBER());
  const said = status.statusStrings?.map((each) => each.getValue()).join(' ') ?? '';
  throw new Error(`it refuses with status ${status.status} ${plain(said)}`.trim());
}

function responseIn(answer: Uint8Array): TimeStampResp {
  try {
    return TimeStampResp.fromBER(answer);
  } catch (cause) {
    throw new Error('its answer is no time-stamp', { cause });
  }
}

/** An authority chose these texts, and operators read them in a terminal. */
const plain = (text: string): string => text.replaceAll(/\p{C}/gu, '?').slice(0, 200);

/** Whether a token that can be read answers the request with this nonce. */
export function answers(token: Buffer, nonce: Buffer): boolean {
  const { nonce: returned } = contentOf(signedDataIn(token)).info;
  return returned?.isEqual(new asn1.Integer({ valueHex: nonce })) ?? false;
}

/**
 * Judges a token.
 * @param stamped the bytes that it should be about
 * @param authorities certificates that are trusted: of authorities, or of those that issue certificates to them
 */
export function judgeToken(
  token: Buffer,
  stamped: Buffer,
  authorities: readonly X509Certificate[],
): TimeStamp {
  try {
    const data = signedDataIn(token);
    const { info, bytes } = contentOf(data);
    const [signer, ...more] = data.signerInfos;
    if (!signer || more.length > 0) return malformed;
    const certificates = certificatesIn(data);
    const leaf = certificates.find((each) => isSignedBy(each, signer, bytes));
    const time = info.genTime;
    const found = { time, authority: leaf ? subjectOf(leaf) : null };
    if (!leaf || !isAbout(info, stamped)) return { ...found, status: 'timeStamp.mismatch' };
    if (!isValidAt(leaf, time)) return { ...found, status: 'timeStamp.outsideValidity' };
    const isTrusted = mayStamp(leaf) && leadsTo(authorities, leaf, certificates, time);
    return { ...found, status: isTrusted ? 'timeStamp.trusted' : 'timeStamp.untrusted' };
  } catch {
    // On forged bytes, the parser throws errors of several kinds.
    return malformed;
  }
}

const malformed: TimeStamp = { status: 'timeStamp.malformed', time: null, authority: null };

const subjectOf = ({ subject }: X509Certificate): string => plain(subject.replaceAll('\n', ', '));

function signedDataIn(token: Buffer): SignedData {
  const { contentType, content } = ContentInfo.fromBER(token);
  if (contentType !== oid.signedData) throw new RangeError('a token is no signed data');
  return new SignedData({ schema: content });
}

function contentOf({ encapContentInfo }: SignedData): { readonly info: TSTInfo; readonly bytes: Buffer } {
  const { eContentType, eContent } = encapContentInfo;
  if (eContentType !== oid.tstInfo || !eContent) throw new RangeError('a token is no time-stamp');
  const bytes = Buffer.from(eContent.getValue());
  return { info: TSTInfo.fromBER(bytes), bytes };
}

/** @throws Error if a certificate is broken */
function certificatesIn({ certificates = [] }: SignedData): X509Certificate[] {
  return certificates
    .slice(0, mostCertificates)
    .map((each) => new X509Certificate(Buffer.from(each.toSchema().toBER())));
}

function isAbout({ messageImprint }: TSTInfo, stamped: Buffer): boolean {
  const algorithm = hashes[messageImprint.hashAlgorithm.algorithmId];
  const said = Buffer.from(messageImprint.hashedMessage.getValue());
  return algorithm !== undefined && hash(algorithm, stamped, 'buffer').equals(said);
}

/**
 * Whether the key of a certificate made a signature (RFC 5652, 5.4). The certificate is found by its key and not by the
 * name that the signature gives, which anyone may write.
 */
function isSignedBy({ publicKey }: X509Certificate, signer: SignerInfo, content: Buffer): boolean {
  const { signedAttrs, signatureAlgorithm, digestAlgorithm } = signer;
  const digest = hashes[digestAlgorithm.algorithmId];
  if (!signedAttrs || !digest) return false;
  const attribute = (type: string) => {
    const found = signedAttrs.attributes.filter((each) => each.type === type);
    return found.length === 1 && found[0]!.values.length === 1 ? (found[0]!.values[0] as unknown) : undefined;
  };
  const [type, said] = [attribute(oid.contentType), attribute(oid.messageDigest)];
  if (!(type instanceof asn1.ObjectIdentifier) || type.getValue() !== oid.tstInfo) return false;
  if (!(said instanceof asn1.OctetString)) return false;
  if (!hash(digest, content, 'buffer').equals(Buffer.from(said.getValue()))) return false;
  const { algorithmId: id } = signatureAlgorithm;
  const { [id]: named = digest } = hashOfSignature;
  const key = { key: publicKey, ...(id === oid.rsaPss && { padding: constants.RSA_PKCS1_PSS_PADDING }) };
  try {
    const signed = Buffer.from(signedAttrs.encodedValue);
    return verify(named, signed, key, Buffer.from(signer.signature.getValue()));
  } catch {
    // Not a key for such a signature.
    return false;
  }
}

const isValidAt = ({ validFromDate, validToDate }: X509Certificate, at: Date): boolean =>
  at >= validFromDate && at <= validToDate;

// The types do not know that it is undefined in certificates without the extension.
const usagesOf = ({ keyUsage }: X509Certificate) => keyUsage as string[] | undefined;
const mayStamp = (leaf: X509Certificate): boolean => usagesOf(leaf)?.includes(oid.timeStamping) ?? false;
/** An authority of certificates may be bound to some uses of those that it issues. */
const mayIssue = (issuer: X509Certificate): boolean =>
  issuer.ca && (usagesOf(issuer)?.includes(oid.timeStamping) ?? true);

/**
 * Whether a chain leads from a certificate to one that is trusted. Each certificate of the chain must be valid at the
 * time. Revocation is not asked for: that would need a network.
 */
function leadsTo(
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
