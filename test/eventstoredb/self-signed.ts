import { createSign, generateKeyPairSync } from 'node:crypto';

export interface SelfSigned {
  /** PEM. The certificate is its own authority. */
  readonly certificate: string;
  readonly privateKey: string;
}

/** A certificate for localhost and 127.0.0.1 that is valid for a day. It is made here, so the repository holds no key. */
export function selfSigned(): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const ecdsaWithSha256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
  const commonName = sequence(oid(0x55, 0x04, 0x03), der(0x0c, Buffer.from('a peer of the tests')));
  const name = sequence(der(0x31, commonName));
  const now = Date.now();
  const day = 86_400_000;
  const isAuthority = sequence(
    oid(0x55, 0x1d, 0x13),
    der(0x01, Buffer.of(0xff)),
    octets(sequence(der(0x01, Buffer.of(0xff)))),
  );
  const names = sequence(der(0x82, Buffer.from('localhost')), der(0x87, Buffer.of(127, 0, 0, 1)));
  const address = sequence(oid(0x55, 0x1d, 0x11), octets(names));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1)),
    ecdsaWithSha256,
    name,
    sequence(time(now - day), time(now + day)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(isAuthority, address)),
  );
  const signature = createSign('sha256').update(body).sign(privateKey);
  const certificate = sequence(body, ecdsaWithSha256, der(0x03, Buffer.concat([Buffer.of(0), signature])));
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** Tag, length, value: see ITU-T X.690. */
function der(tag: number, value: Buffer): Buffer {
  const { length } = value;
  const head =
    length < 128
      ? [tag, length]
      : length < 256
        ? [tag, 0x81, length]
        : [tag, 0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from(head), value]);
}

const sequence = (...parts: Buffer[]) => der(0x30, Buffer.concat(parts));
const octets = (value: Buffer) => der(0x04, value);
const oid = (...bytes: number[]) => der(0x06, Buffer.from(bytes));

function time(at: number): Buffer {
  const digits = new Date(at).toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  return der(0x17, Buffer.from(digits.slice(2)));
}
