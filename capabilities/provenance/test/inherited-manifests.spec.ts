import { beforeAll, describe, expect, it } from 'vitest';
import type { FinishedPicture } from '#application/render/finished-pictures.js';
import { around, embed, gapFor } from '../carriers.js';
import { newHomeCertificate } from '../home-certificate.js';
import { hasInherited } from '../inherited-manifests.js';
import { readSuperbox, superbox } from '../jumbf.js';
import { withManifest } from '../manifest.js';
import { statementOf, type KnownOfPicture } from '../picture-statement.js';
import { readClaimSigner } from '../provenance.key.js';
import { readCredentials, readKeptCredentials, type Credentials } from '../read-credentials.js';
import { finished, inputs, markedPicture, ordered, types } from './support/pictures.js';
import { complaintsAbout, hasReference, judged, manifestOf, signedByReference } from './support/reference.js';

const pem = newHomeCertificate();
const signer = readClaimSigner(pem, pem);
const generator = { name: 'Atelier', version: '0.1.0' };

/** Each has another id, and so a manifest of another name. */
let count = 0;

async function signed(
  type: (typeof types)[number],
  known: Omit<KnownOfPicture, 'ordered'>,
  more: Partial<FinishedPicture> = {},
): Promise<Buffer> {
  const assetId = `picture ${(count += 1)}`;
  const made = {
    ...finished(await markedPicture(type), type),
    inputs: inputs.slice(0, known.inputs?.length),
  };
  const picture = { ...made, assetId, ...more };
  const statement = statementOf(picture, generator, { ordered, ...known });
  return withManifest(picture.bytes, type, statement, signer);
}

/** Credentials of another program, in which an assertion takes so many bytes. */
async function credentialsOf(subject: string, sizeBytes: number): Promise<Credentials> {
  const bytes = await markedPicture('image/png');
  const { actions } = statementOf(finished(bytes, 'image/png'), generator, { ordered });
  const own = { label: 'test.filler', data: { filler: Buffer.alloc(sizeBytes) } };
  const statement = { subject, generator: { name: 'X', version: '1' }, actions, ingredients: [], own };
  return readCredentials(withManifest(bytes, 'image/png', statement, signer))!;
}

const titles = (bytes: Buffer, has: boolean) =>
  readCredentials(bytes)!
    .ingredients.filter(({ hasManifest }) => hasManifest === has)
    .map(({ title }) => title);

describe.skipIf(!hasReference)('a picture that is made from pictures with credentials of others', () => {
  let bytes: Buffer;
  let vendors: Credentials;

  beforeAll(async () => {
    bytes = await signedByReference(await markedPicture('image/jpeg'), 'image/jpeg');
    vendors = readCredentials(bytes)!;
  });

  it.each(types)('takes them in, and the reference validator reads both: %s', async (type) => {
    const picture = await signed(type, { inputs: [undefined, vendors, vendors] });
    expect(await complaintsAbout(picture)).toEqual([]);
    const report = (await judged(picture))!;
    const [active, ...others] = Object.keys(report.manifests).toSorted((label) =>
      label === report.active_manifest ? -1 : 1,
    );
    expect(active).toBe(report.active_manifest);
    expect(others.map((label) => report.manifests[label]!.claim_generator_info)).toMatchObject([
      [{ name: 'A vendor' }],
    ]);
    const { ingredients } = await manifestOf(picture);
    expect(ingredients).toMatchObject([
      { title: 'source_image' },
      { title: 'background_image', active_manifest: others[0] },
      { title: 'product_image', active_manifest: others[0] },
    ]);
    expect(ingredients![0]).not.toHaveProperty('active_manifest');
    expect(readCredentials(picture)).toMatchObject({ problems: [] });
  });

  // The reference validator does not tell. In PNG the checksum of the chunk is wrong as well.
  it.each(['image/jpeg', 'image/webp'] as const)(
    'tells when a byte of theirs was changed since, wherever it is: %s',
    async (type) => {
      const picture = await signed(type, { inputs: [vendors] });
      const [theirs] = readSuperbox(readCredentials(picture)!.store).children;
      // JPEG cuts the store into segments, so only some bytes of it are found as they are.
      const start = picture.indexOf(theirs!.bytes.subarray(200, 220));
      expect(start).toBeGreaterThan(0);
      for (const place of [0, 1_000, 20_000, 50_000]) {
        const changed = Buffer.from(picture);
        changed[start + place]! ^= 1;
        expect(readCredentials(changed)!.problems).toEqual(['ingredient.manifest.mismatch']);
      }
    },
  );

  it('tells when they were taken out', async () => {
    const picture = await signed('image/png', { inputs: [vendors] });
    const own = readSuperbox(readCredentials(picture)!.store).children.at(-1)!;
    const alone = superbox('c2pa', 'c2pa', own.bytes);
    const plain = await markedPicture('image/png');
    const place = gapFor(plain, 'image/png', alone.length);
    const without = embed(around(plain, 'image/png', place), 'image/png', alone);
    expect(readCredentials(without)!.problems).toContain('ingredient.manifest.missing');
  });

  it('says what was wrong with them when they arrived', async () => {
    const changed = Buffer.from(bytes);
    changed[changed.length - 40]! ^= 1;
    const picture = await signed('image/png', { inputs: [readCredentials(changed)] });
    expect(await complaintsAbout(picture)).toEqual([]);
    const codes = (await manifestOf(picture)).ingredients![0]!.validation_results!.activeManifest;
    expect(codes.failure.map(({ code }) => code)).toEqual([
      'signingCredential.untrusted',
      'assertion.dataHash.mismatch',
    ]);
    expect(codes.success.map(({ code }) => code)).toContain('claimSignature.validated');
    const fine = await manifestOf(await signed('image/png', { inputs: [vendors] }));
    expect(fine.ingredients![0]!.validation_results!.activeManifest.failure).toMatchObject([
      { code: 'signingCredential.untrusted' },
    ]);
  });

  it("has the model's answer as its parent, if that has credentials", async () => {
    const made = { original: bytes, digitalSource: 'compositeWithTrainedAlgorithmicMedia' as const };
    const picture = await signed('image/jpeg', { inputs: [undefined, vendors], answer: vendors }, made);
    expect(await complaintsAbout(picture)).toEqual([]);
    const manifest = await manifestOf(picture);
    expect(manifest.ingredients).toMatchObject([
      { title: 'answer of the image model', relationship: 'parentOf' },
      // Without such an answer, this would be the parent.
      { title: 'source_image', relationship: 'inputTo' },
      { title: 'background_image', relationship: 'inputTo' },
    ]);
    expect(titles(picture, true)).toEqual(['answer of the image model', 'background_image']);
    expect(readCredentials(picture)!.actions.map(({ action }) => action)).toEqual([
      'c2pa.opened',
      'c2pa.edited',
    ]);
  });

  it('passes them on to the pictures that are made from it', async () => {
    const first = await signed('image/webp', { inputs: [vendors] });
    expect(hasInherited(readCredentials(first)!)).toBe(true);
    const second = await signed('image/png', { inputs: [readCredentials(first)!, vendors] });
    expect(await complaintsAbout(second)).toEqual([]);
    expect(Object.keys((await judged(second))!.manifests)).toHaveLength(3);
    expect(hasInherited(vendors)).toBe(false);
  });

  it('leaves out what is not what was signed, so that the picture stays valid', async () => {
    const { store } = vendors;
    const broken = [store.length - 20, Math.floor(store.length / 2)].map((at) => {
      const changed = Buffer.from(store);
      changed[at]! ^= 1;
      return readKeptCredentials(changed, []);
    });
    const cut = readKeptCredentials(store.subarray(0, store.length - 100), []);
    const picture = await signed('image/png', { inputs: [...broken, cut] });
    expect(titles(picture, true)).toEqual([]);
    expect(await complaintsAbout(picture)).toEqual([]);
  });

  it('leaves out another manifest of the same name', async () => {
    const [one, other] = await Promise.all([1, 2].map((size) => credentialsOf('the same', size)));
    const picture = await signed('image/png', { inputs: [one, other, one] });
    expect(titles(picture, true)).toEqual(['source_image', 'product_image']);
  });
});

describe('the manifests that a picture takes in', () => {
  it('have at most 1 MiB together; the rest is named by its hash', async () => {
    const sizes = [700_000, 400_000, 300_000];
    const large = await Promise.all(sizes.map((size) => credentialsOf(`of ${size} bytes`, size)));
    const picture = await signed('image/jpeg', { inputs: large });
    expect(titles(picture, true)).toEqual(['source_image', 'product_image']);
    expect(titles(picture, false)).toEqual(['background_image']);
    expect(readCredentials(picture)!.problems).toEqual([]);
    if (hasReference) expect(await complaintsAbout(picture)).toEqual([]);
  });

  it.each(types)('add nothing if there are none: at most 15 kB with eight inputs: %s', async (type) => {
    const eight = Array.from({ length: 8 }, (_, index) => ({ ...inputs[0]!, name: `item-${index}` }));
    const bytes = await markedPicture(type);
    const picture = { ...finished(bytes, type), inputs: eight };
    const statement = statementOf(picture, generator, { ordered, inputs: eight.map(() => undefined) });
    expect(withManifest(bytes, type, statement, signer).length - bytes.length).toBeLessThan(15_000);
  });
});
