import { generateKeyPairSync } from 'node:crypto';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { FinishedPicture } from '#application/render/finished-pictures.js';
import { certificateFor, newHomeCertificate } from '../home-certificate.js';
import { withManifest } from '../manifest.js';
import { statementOf } from '../picture-statement.js';
import { readClaimSigner } from '../provenance.key.js';
import { finished, inputs, markedPicture, ordered, types } from './support/pictures.js';
import { complaintsAbout, hasReference, manifestOf } from './support/reference.js';

const pem = newHomeCertificate();
const signer = readClaimSigner(pem, pem);
const generator = { name: 'Atelier', version: '0.1.0' };
const seal = { number: 3, root: 'ab'.repeat(32), key: 'k', sealedAt: '2026-06-01T12:00:01.000Z' };

function signed(picture: FinishedPicture, by = signer): Buffer {
  const statement = statementOf(picture, generator, { ordered, seal });
  return withManifest(picture.bytes, picture.contentType, statement, by);
}

const made: [string, Partial<FinishedPicture>][] = [
  ['without inputs', {}],
  ['after an input', { inputs: inputs.slice(2) }],
  ['with a model', { digitalSource: 'compositeWithTrainedAlgorithmicMedia', inputs: inputs.slice(2) }],
  ['from a source, after other inputs', { digitalSource: 'compositeSynthetic', inputs }],
  ['unchanged', { digitalSource: null, inputs: inputs.slice(1, 2) }],
  ['of several photographs', { digitalSource: null, inputs }],
  ['on the way', { model: undefined }],
];

describe.skipIf(!hasReference)('the reference validator', () => {
  const cases = types.flatMap((type) => made.map(([how, more]) => [type, how, more] as const));

  it.each(cases)('finds a picture in %s valid that was made %s', async (type, _how, more) => {
    const bytes = signed({ ...finished(await markedPicture(type), type), ...more });
    expect(await complaintsAbout(bytes)).toEqual([]);
  });

  it.each(types)('finds each changed byte in %s', async (type) => {
    const bytes = signed({ ...finished(await markedPicture(type), type), inputs });
    const step = Math.ceil(bytes.length / 70);
    const missed: number[] = [];
    for (let at = 0; at < bytes.length; at += step) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      if ((await complaintsAbout(changed)).length === 0) missed.push(at);
    }
    expect(missed).toEqual([]);
  });

  it('reads who made it, how, and which order it belongs to, and no name of a tenant', async () => {
    const picture = { ...finished(await markedPicture('image/png'), 'image/png'), inputs };
    const manifest = await manifestOf(signed({ ...picture, digitalSource: 'compositeSynthetic' }));
    expect(manifest.claim_generator_info).toMatchObject([{ name: 'Atelier', version: '0.1.0' }]);
    expect(manifest.ingredients?.map(({ title, relationship }) => [title, relationship])).toEqual([
      ['source_image', 'parentOf'],
      ['background_image', 'inputTo'],
      ['product_image', 'inputTo'],
    ]);
    const data = (label: string): unknown => manifest.assertions.find((each) => each.label === label)?.data;
    expect(data('c2pa.actions.v2')).toMatchObject({
      actions: [
        { action: 'c2pa.opened', when: '2026-06-01T12:00:00.000Z' },
        {
          action: 'c2pa.edited',
          digitalSourceType: 'http://cv.iptc.org/newscodes/digitalsourcetype/compositeSynthetic',
          softwareAgent: { name: 'sketch-1', version: 'sketch' },
        },
      ],
    });
    expect(data('atelier.order')).toMatchObject({
      job: picture.jobId,
      ordered_by: { event: ordered.id, position: '41' },
      seal: { number: 3, root: seal.root },
    });
  });

  it.each(['prime256v1', 'secp384r1', 'secp521r1'])(
    'accepts a signature of the curve %s',
    async (namedCurve) => {
      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve });
      const chain = certificateFor(publicKey, new Date());
      const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
      const by = readClaimSigner(chain, key);
      const bytes = signed(finished(await markedPicture('image/jpeg'), 'image/jpeg'), by);
      expect(await complaintsAbout(bytes)).toEqual([]);
    },
  );
});

describe.each(types)('a signed picture in %s', (type) => {
  it('has the pixels and the mark that it had', async () => {
    const bytes = await markedPicture(type);
    const after = signed(finished(bytes, type));
    const pixels = (picture: Buffer) => sharp(picture, { failOn: 'warning' }).raw().toBuffer();
    expect((await pixels(after)).equals(await pixels(bytes))).toBe(true);
    const { xmp } = await sharp(after).metadata();
    expect(String(xmp)).toContain('digitalsourcetype/algorithmicMedia"');
  });

  it('has the same bytes when it is signed again', async () => {
    const picture = { ...finished(await markedPicture(type), type), inputs };
    expect(signed(picture).equals(signed(picture))).toBe(true);
  });
});
