import { describe, expect, it } from 'vitest';
import sharp from 'sharp';
import { storeBox } from '../bmff.js';
import { newHomeCertificate } from '../home-certificate.js';
import { box } from '../jumbf.js';
import { withManifest } from '../manifest.js';
import { statementOf } from '../picture-statement.js';
import { readClaimSigner } from '../provenance.key.js';
import { isWhole, readCredentials } from '../read-credentials.js';
import { finished, inputs, markedPicture, ordered, types } from './support/pictures.js';
import { complaintsAbout, hasReference, signedByReference } from './support/reference.js';

const pem = newHomeCertificate();
const signer = readClaimSigner(pem, pem);
const generator = { name: 'Atelier', version: '0.1.0' };

async function signed(type: (typeof types)[number]): Promise<Buffer> {
  const picture = { ...finished(await markedPicture(type), type), inputs };
  const statement = statementOf({ ...picture, digitalSource: 'compositeSynthetic' }, generator, { ordered });
  return withManifest(picture.bytes, type, statement, signer);
}

describe.each(types)('the credentials in %s', (type) => {
  it('hold, and say who signed what', async () => {
    const read = readCredentials(await signed(type));
    expect(read).toMatchObject({
      problems: [],
      signedBy: { fingerprint: signer.certificate.fingerprint },
      generator: 'Atelier 0.1.0',
      actions: [
        { action: 'c2pa.opened' },
        { action: 'c2pa.edited', digitalSourceType: expect.stringMatching(/compositeSynthetic$/) },
      ],
      order: { job: '01JWZ0000000000000000000J1', ordered_by: { position: '41' } },
    });
    expect(read!.ingredients[0]).toEqual({
      title: 'source_image',
      relationship: 'parentOf',
      hasManifest: false,
    });
  });

  it('do not hold once a byte is another, wherever it is', async () => {
    const bytes = await signed(type);
    const step = Math.ceil(bytes.length / 400);
    // C2PA leaves the first box of an AVIF out of the hash: it only names the format.
    const covered = type === 'image/avif' ? bytes.readUInt32BE(0) : 0;
    const missed: number[] = [];
    for (let at = covered; at < bytes.length; at += step) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      const read = readCredentials(changed);
      if (read && read.problems.length === 0) missed.push(at);
    }
    expect(missed).toEqual([]);
  });

  it('are missing in a picture without them, and in one that ends too early', async () => {
    expect(readCredentials(await markedPicture(type))).toBeUndefined();
    const bytes = await signed(type);
    for (const end of [0, 3, 12, 40, 60])
      expect(readCredentials(bytes.subarray(0, end))?.problems ?? 'none').not.toEqual([]);
  });

  it.skipIf(!hasReference)('of the reference implementation are read as well', async () => {
    const bytes = await signedByReference(await markedPicture(type), type);
    expect(readCredentials(bytes)).toMatchObject({ problems: [], order: undefined });
    const changed = Buffer.from(bytes);
    changed[changed.length - 40]! ^= 1;
    expect(readCredentials(changed)?.problems).not.toEqual([]);
  });
});

describe('the boxes of a signed AVIF', () => {
  const free = box('free', Buffer.alloc(4));

  it.each([
    [
      'before the others',
      (bytes: Buffer, end: number) => [bytes.subarray(0, end), free, bytes.subarray(end)],
    ],
    ['behind the others', (bytes: Buffer) => [bytes, free]],
    ['behind the others, cut off', (bytes: Buffer) => [bytes, free.subarray(0, 10)]],
    ['with a second store', (bytes: Buffer) => [bytes, storeBox(Buffer.from('another store'))]],
    ['in great numbers', (bytes: Buffer) => [bytes, ...Array.from({ length: 2_000 }, () => free)]],
  ])('may not get another one %s', async (_how, parts) => {
    const bytes = await signed('image/avif');
    const changed = Buffer.concat(parts(bytes, bytes.readUInt32BE(0)));
    expect(readCredentials(changed)?.problems).toEqual(['assertion.bmffHash.mismatch']);
    // The reference takes minutes for many boxes.
    if (hasReference && changed.length < 20_000) expect(await complaintsAbout(changed)).not.toEqual([]);
  });

  it('may not be bound in a way that leaves out more than C2PA does', async () => {
    const { store } = readCredentials(await signed('image/avif'))!;
    const [ofAvif, ofPng] = [await markedPicture('image/avif'), await signed('image/png')];
    const other = readCredentials(ofPng)!.store;
    const end = ofAvif.readUInt32BE(0);
    const withStore = (each: Buffer) =>
      Buffer.concat([ofAvif.subarray(0, end), storeBox(each), ofAvif.subarray(end)]);
    expect(readCredentials(withStore(other))?.problems).toEqual(['general.error']);
    expect(readCredentials(withStore(store))?.problems).toEqual(['assertion.bmffHash.mismatch']);
  });

  it('are those of a picture with transparency as well', async () => {
    const ground = {
      width: 40,
      height: 30,
      channels: 4,
      background: { r: 9, g: 99, b: 199, alpha: 0.5 },
    } as const;
    const bytes = await sharp({ create: ground }).avif().toBuffer();
    const statement = statementOf(finished(bytes, 'image/avif'), generator, { ordered });
    const after = withManifest(bytes, 'image/avif', statement, signer);
    const pixels = (picture: Buffer) => sharp(picture, { failOn: 'warning' }).raw().toBuffer();
    expect((await pixels(after)).equals(await pixels(bytes))).toBe(true);
    expect(readCredentials(after)?.problems).toEqual([]);
    if (hasReference) expect(await complaintsAbout(after)).toEqual([]);
  });
});

describe('the store of a picture', () => {
  it('is whole if each of its manifests is what was signed, and not once a byte is another', async () => {
    const { store } = readCredentials(await signed('image/png'))!;
    expect(isWhole(store)).toBe(true);
    const missed = Array.from({ length: store.length }, (_, at) => at).filter((at) => {
      const changed = Buffer.from(store);
      changed[at]! ^= 1;
      return at % 7 === 0 && isWhole(changed);
    });
    expect(missed.filter((at) => at > 60)).toEqual([]);
  });
});
