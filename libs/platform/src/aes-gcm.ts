import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from 'node:crypto';

// Lengths of AES-256-GCM, in bytes. A random nonce of 96 bits is safe for 2^32 uses of one key (NIST SP 800-38D).
const nonceBytes = 12;
const tagBytes = 16;

/** Drawing each nonce by itself would take a third of the time of {@link encrypt}. */
const noncesTogether = 512;
let nonces = Buffer.alloc(0);

function nextNonce(): Buffer {
  if (nonces.length === 0) nonces = randomBytes(nonceBytes * noncesTogether);
  const nonce = nonces.subarray(0, nonceBytes);
  nonces = nonces.subarray(nonceBytes);
  return nonce;
}

/** AES-256-GCM: the nonce, the encrypted text and the tag. `bound` is authenticated along with it, and not included. */
export function encrypt(key: KeyObject, text: Buffer | string, bound: string): Buffer {
  const nonce = nextNonce();
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(bound));
  const head = typeof text === 'string' ? cipher.update(text, 'utf8') : cipher.update(text);
  return Buffer.concat([nonce, head, cipher.final(), cipher.getAuthTag()]);
}

/** @throws Error if the key, the bytes or `bound` are not those of {@link encrypt} */
export function decrypt(key: KeyObject, bytes: Buffer, bound: string): Buffer {
  const end = bytes.length - tagBytes;
  const nonce = bytes.subarray(0, nonceBytes);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
    .setAAD(Buffer.from(bound))
    .setAuthTag(bytes.subarray(end));
  return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, end)), decipher.final()]);
}
