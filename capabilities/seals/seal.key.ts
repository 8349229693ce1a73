import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto';

/** Signs seals. It is made from the text of a key file, and shows only the public half. */
export interface SealKey {
  /** The public half: 32 bytes as base64url, the `x` of RFC 8037. */
  readonly publicKey: string;
  /** Proves that the key before this one names it as its successor. */
  readonly succession: KeySuccession | undefined;
  /** Ed25519 over the text as UTF-8, in base64url. */
  sign(text: string): string;
}

export interface KeySuccession {
  /** The public half of the key before. */
  readonly of: string;
  /**
   * The signature of the key before, over {@link successionText}. It is empty if that key was lost and could
   * not sign.
   */
  readonly signature: string;
}

const successionLine = /^succeeds: ([A-Za-z0-9_-]{43}) ([A-Za-z0-9_-]{86})?\s*$/m;

/**
 * Reads an Ed25519 key as PEM (PKCS #8), in the form that `openssl genpkey -algorithm ed25519` writes. The file of a
 * successor ends with a line that `newSealKey` adds. Settings that hold one line may write line breaks as `\n`.
 * @throws TypeError for anything else, without repeating it
 */
export function readSealKey(text: string): SealKey {
  const lines = text.replaceAll('\\n', '\n');
  const key = ed25519(() => createPrivateKey(lines));
  // An Ed25519 key has an x.
  const publicKey = createPublicKey(key).export({ format: 'jwk' }).x!;
  const [, of, signature = ''] = successionLine.exec(lines) ?? [];
  const succession = of === undefined ? undefined : { of, signature };
  return {
    publicKey,
    succession,
    sign: (signed) => sign(null, Buffer.from(signed), key).toString('base64url'),
  };
}

/**
 * The text of a new key's file. `before`: the key that it replaces, or only its public half if the key is lost.
 */
export function newSealKey(before?: SealKey | string): string {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  if (before === undefined) return pem;
  if (typeof before === 'string') return `${pem}succeeds: ${before} \n`;
  const signature = before.sign(successionText(before.publicKey, readSealKey(pem).publicKey));
  return `${pem}succeeds: ${before.publicKey} ${signature}\n`;
}

export function successionText(before: string, after: string): string {
  return `atelier seal key\n${before}\n${after}`;
}

/** Reads the public half from a PEM file, or in the form of a seal. @throws TypeError for anything else */
export function readPublicSealKey(text: string): string {
  const given = text.trim();
  if (/^[A-Za-z0-9_-]{43}$/.test(given)) return given;
  return ed25519(() => createPublicKey(given)).export({ format: 'jwk' }).x!;
}

/** The public key as PEM, which every other tool reads. */
export function publicSealKeyPem(publicKey: string): string {
  return publicKeyOf(publicKey).export({ type: 'spki', format: 'pem' }).toString();
}

/** Also false if the key or the signature is malformed. */
export function isSealedBy(publicKey: string, text: string, signature: string): boolean {
  try {
    return verify(null, Buffer.from(text), publicKeyOf(publicKey), Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
}

const publicKeyOf = (x: string) => createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });

function ed25519(read: () => KeyObject): KeyObject {
  let key;
  try {
    key = read();
  } catch {
    // OpenSSL's message may repeat the text.
  }
  if (key?.asymmetricKeyType === 'ed25519') return key;
  throw new TypeError('must be an Ed25519 key as PEM, as "openssl genpkey -algorithm ed25519" makes it');
}
