import { generateKeyPairSync, hash, randomBytes, sign, type KeyObject } from 'node:crypto';
import { homeMadeName } from './provenance.key.js';

/**
 * The certificate of an installation that has none of its own, with its key, as PEM. A root that exists only here
 * signs it, because C2PA refuses certificates that sign themselves. Verifiers do not know the root, so they call the
 * pictures untrusted. Its key is thrown away, so nothing else is ever signed with it.
 */
export function newHomeCertificate(now = new Date()): string {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return certificateFor(publicKey, now) + privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** The certificate of a key, as PEM. */
export function certificateFor(leaf: KeyObject, now: Date): string {
  const root = generateKeyPairSync('ed25519');
  const certificate = signed(root.privateKey, certificateBody(root.publicKey, leaf, now));
  const body = certificate
    .toString('base64')
    .match(/.{1,64}/g)!
    .join('\n');
  return `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`;
}

const years = 10;

/** TBSCertificate of RFC 5280, with the extensions that C2PA requires (C2PA 2.2, 14.5.1). */
function certificateBody(root: KeyObject, leaf: KeyObject, now: Date): Buffer {
  const end = new Date(now);
  end.setUTCFullYear(now.getUTCFullYear() + years);
  const isNoAuthority = extension(oid.basicConstraints, sequence(), true);
  const signsData = extension(oid.keyUsage, der(0x03, Buffer.of(7, 0b1000_0000)), true);
  const signsDocuments = extension(oid.extendedKeyUsage, sequence(oid.emailProtection));
  const named = extension(oid.subjectKeyIdentifier, der(0x04, keyIdOf(leaf)));
  const byRoot = extension(oid.authorityKeyIdentifier, sequence(der(0x80, keyIdOf(root))));
  return sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    // Positive, and never zero.
    der(0x02, Buffer.concat([Buffer.of(1), randomBytes(15)])),
    sequence(oid.ed25519),
    nameOf('Atelier of this installation'),
    sequence(time(now), time(end)),
    nameOf(homeMadeName),
    leaf.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(isNoAuthority, signsData, signsDocuments, named, byRoot)),
  );
}

function signed(key: KeyObject, body: Buffer): Buffer {
  const signature = Buffer.concat([Buffer.of(0), sign(null, body, key)]);
  return sequence(body, sequence(oid.ed25519), der(0x03, signature));
}

const oid = {
  ed25519: der(0x06, Buffer.from('2b6570', 'hex')),
  commonName: der(0x06, Buffer.from('550403', 'hex')),
  organization: der(0x06, Buffer.from('55040a', 'hex')),
  subjectKeyIdentifier: der(0x06, Buffer.from('551d0e', 'hex')),
  keyUsage: der(0x06, Buffer.from('551d0f', 'hex')),
  basicConstraints: der(0x06, Buffer.from('551d13', 'hex')),
  authorityKeyIdentifier: der(0x06, Buffer.from('551d23', 'hex')),
  extendedKeyUsage: der(0x06, Buffer.from('551d25', 'hex')),
  emailProtection: der(0x06, Buffer.from('2b06010505070304', 'hex')),
};

const keyIdOf = (key: KeyObject) => hash('sha1', key.export({ type: 'spki', format: 'der' }), 'buffer');

function nameOf(commonName: string): Buffer {
  const part = (id: Buffer, text: string) => der(0x31, sequence(id, der(0x0c, Buffer.from(text))));
  return sequence(part(oid.organization, 'Atelier'), part(oid.commonName, commonName));
}

function extension(id: Buffer, value: Buffer, critical = false): Buffer {
  return sequence(id, ...(critical ? [der(0x01, Buffer.of(0xff))] : []), der(0x04, value));
}

/** GeneralizedTime for any year; RFC 5280 wants UTCTime before 2050. */
function time(at: Date): Buffer {
  const digits = at.toISOString().replaceAll(/\D/g, '').slice(0, 14);
  return at.getUTCFullYear() < 2050
    ? der(0x17, Buffer.from(`${digits.slice(2)}Z`))
    : der(0x18, Buffer.from(`${digits}Z`));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

/** One value of DER. */
function der(tag: number, value: Buffer): Buffer {
  const { length } = value;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), value]);
  const digits = length < 0x100 ? [length] : [length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, 0x80 | digits.length, ...digits), value]);
}
