import { constants, hash, verify, X509Certificate } from 'node:crypto';
import * as asn1 from 'asn1js';
import {
  AlgorithmIdentifier,
  ContentInfo,
  EncapsulatedContentInfo,
  MessageImprint,
  PKIStatus,
  PKIStatusInfo,
  SignerInfo,
  TimeStampReq,
  TSTInfo,
} from 'pkijs';
import { isValidAt, leadsTo, unfitToStamp } from './time-stamp-chain.js';

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

/** Real tokens have 2 to 8 kB. Parsing one takes time, and anyone may send a picture with a forged one. */
const longestTokenBytes = 16_384;

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

/** An authority's answer to a request. */
export interface Answer {
  readonly token: Buffer;
  readonly stamp: TimeStamp;
  /** Whether it answers the request with this nonce. */
  readonly hasNonce: boolean;
  /** Why the authority's certificate stamps no pictures. */
  readonly unfit?: string | undefined;
}

/** @throws Error if the authority gives no token that can be read */
export function readAnswer(
  answer: Uint8Array,
  { stamped, nonce }: { readonly stamped: Buffer; readonly nonce: Buffer },
  authorities: readonly X509Certificate[],
): Answer {
  const token = tokenIn(answer);
  const read = attempted(() => {
    const parts = readToken(new ContentInfo({ schema: token }));
    const hasNonce = parts.info.nonce?.isEqual(new asn1.Integer({ valueHex: nonce })) ?? false;
    const { unfit, ...stamp } = judge(parts, stamped, authorities);
    return { stamp, unfit, hasNonce };
  });
  if (read) return { ...read, token: Buffer.from(token.valueBeforeDecodeView) };
  return noAnswer();
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
  const judged =
    token.length <= longestTokenBytes &&
    attempted(() => judge(readToken(contentInfoIn(token)), stamped, authorities));
  if (!judged) return { status: 'timeStamp.malformed', time: null, authority: null };
  const { status, time, authority } = judged;
  return { status, time, authority };
}

/** @throws Error if a certificate is broken: parts of it are read only here */
function judge(
  { info, content, certificates, signer }: ReadToken,
  stamped: Buffer,
  authorities: readonly X509Certificate[],
): TimeStamp & Pick<Answer, 'unfit'> {
  const leaf = certificates.find((each) => isSignedBy(each, signer, content));
  const time = info.genTime;
  const found = { time, authority: leaf ? subjectOf(leaf) : null };
  if (!leaf || !isAbout(info, stamped)) return { ...found, status: 'timeStamp.mismatch' };
  if (!isValidAt(leaf, time)) return { ...found, status: 'timeStamp.outsideValidity' };
  const unfit = unfitToStamp(leaf);
  const isTrusted = unfit === undefined && leadsTo(authorities, leaf, certificates, time);
  return { ...found, status: isTrusted ? 'timeStamp.trusted' : 'timeStamp.untrusted', unfit };
}

/** On forged bytes, the parsers throw errors of several kinds. */
function attempted<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** @throws Error if the authority gives none */
function tokenIn(answer: Uint8Array): asn1.BaseBlock {
  const { status, token } = attempted(() => answerIn(parsed(answer))) ?? noAnswer();
  const isGranted = status.status === PKIStatus.granted || status.status === PKIStatus.grantedWithMods;
  if (isGranted && token) return token;
  const said = status.statusStrings?.map((each) => each.getValue()).join(' ') ?? '';
  throw new Error(`it refuses with status ${status.status} ${plain(said)}`.trim());
}

function noAnswer(): never {
  throw new Error('its answer is no time-stamp');
}

/** TimeStampResp (RFC 3161, 2.4.2). Its class in pkijs does not keep the bytes of the token. @throws Error */
function answerIn(answer: asn1.BaseBlock) {
  const [status, token] = partsOf(answer);
  return { status: new PKIStatusInfo({ schema: status }), token };
}

/** @throws Error */
function parsed(bytes: Uint8Array): asn1.BaseBlock {
  const { result, offset } = asn1.fromBER(bytes);
  if (offset === -1) throw new RangeError(result.error);
  return result;
}

/** An authority chose these texts, and operators read them in a terminal. */
const plain = (text: string): string => text.replaceAll(/\p{C}/gu, '?').slice(0, 200);

const subjectOf = ({ subject }: X509Certificate): string => plain(subject.replaceAll('\n', ', '));

/** In the older form of C2PA, the whole answer stands for the token, which begins with its type. @throws Error */
function contentInfoIn(bytes: Buffer): ContentInfo {
  const token = parsed(bytes);
  const isToken = partsOf(token)[0] instanceof asn1.ObjectIdentifier;
  return new ContentInfo({ schema: isToken ? token : answerIn(token).token });
}

/** The parts of a token that its judgement needs. */
interface ReadToken {
  readonly info: TSTInfo;
  /** The bytes of that, which are signed. */
  readonly content: Buffer;
  readonly certificates: readonly X509Certificate[];
  readonly signer: SignerInfo;
}

/**
 * Takes SignedData (RFC 5652, 5.1) apart. Its class in pkijs would parse the certificates as well, which takes ten times
 * as long as all the rest.
 * @throws Error if its form is not that of a time-stamp
 */
function readToken({ contentType, content: signedData }: ContentInfo): ReadToken {
  if (contentType !== oid.signedData) throw new RangeError('a token is no signed data');
  const parts = partsOf(signedData);
  const { eContentType, eContent } = new EncapsulatedContentInfo({ schema: parts[2] });
  if (eContentType !== oid.tstInfo || !eContent) throw new RangeError('a token is no time-stamp');
  const content = Buffer.from(eContent.getValue());
  const info = TSTInfo.fromBER(content);
  if (Number.isNaN(info.genTime.getTime())) throw new RangeError('a token names no time');
  const [signer, ...more] = partsOf(parts.at(-1));
  if (!signer || more.length > 0) throw new RangeError('a token has one signature');
  const certificates = parts.find(
    ({ idBlock }) => idBlock.tagClass === contextTag && idBlock.tagNumber === 0,
  );
  return {
    info,
    content,
    certificates: partsOf(certificates)
      .slice(0, mostCertificates)
      .map((each) => new X509Certificate(each.valueBeforeDecodeView)),
    signer: new SignerInfo({ schema: signer }),
  };
}

const contextTag = 3;

function partsOf(value: unknown): asn1.BaseBlock[] {
  if (value === undefined) return [];
  if (value instanceof asn1.Constructed) return value.valueBlock.value;
  throw new RangeError('a token has another form');
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
