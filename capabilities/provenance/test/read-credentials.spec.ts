import { describe, expect, it } from 'vitest';
import { newHomeCertificate } from '../home-certificate.js';
import { withManifest } from '../manifest.js';
import { statementOf } from '../picture-statement.js';
import { readClaimSigner } from '../provenance.key.js';
import { isWhole, readCredentials } from '../read-credentials.js';
import { finished, inputs, markedPicture, ordered, types } from './support/pictures.js';
import { hasReference, signedByReference } from './support/reference.js';

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
    const missed: number[] = [];
    for (let at = 0; at < bytes.length; at += step) {
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
