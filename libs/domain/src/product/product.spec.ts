import { describe, expect, it } from 'vitest';
import { accept } from '../decision.js';
import type { ProductEvent } from './product.events.js';
import {
  evolveProduct,
  initialProduct,
  personsOf,
  primaryImage,
  type KnownProduct,
  type Product,
  assignExternalRef,
  maxProductImages,
  registerProduct,
  reviseProduct,
  type ProductPicture,
  type ProductRegistration,
} from './product.js';

const picture = (assetId: string): ProductPicture => ({
  assetId,
  storageKey: `live/t/uploads/${assetId}.jpg`,
  sha256: assetId,
});
const coat: ProductRegistration = {
  productId: 'P1',
  tenant: 'T1',
  title: 'Coat',
  externalRef: 'sku-1',
  description: null,
  garmentCategoryId: null,
  picture: picture('A1'),
  source: null,
  at: '2026-06-01T12:00:00.000Z',
};

function run(product: Product, ...commands: Partial<ProductRegistration>[]): KnownProduct {
  const after = commands.reduce((state: Product, change) => {
    const decided = registerProduct({ ...coat, ...change }, state);
    if (decided.kind === 'rejected') throw new Error('rejected');
    return decided.events.reduce(evolveProduct, state);
  }, product);
  if (after.status === 'unregistered' || after.status === 'reference') throw new Error(after.status);
  return after;
}

const imagesOf = ({ images }: KnownProduct) => images.map(({ assetId, role }) => `${assetId} ${role}`);

describe('registering a product', () => {
  it('makes it active, with its picture as the primary one', () => {
    const product = run(initialProduct, {});
    expect(product).toMatchObject({ status: 'active', title: 'Coat', registeredAt: coat.at });
    expect(imagesOf(product)).toEqual(['A1 primary']);
    expect(primaryImage(product)?.assetId).toBe('A1');
  });

  it('again revises it: the new picture becomes primary, the one of before moves into the gallery', () => {
    const product = run(
      initialProduct,
      {},
      { title: 'Long coat', picture: picture('A2') },
      { picture: picture('A3') },
    );
    expect(imagesOf(product)).toEqual(['A3 primary', 'A2 gallery', 'A1 gallery']);
    expect(product).toMatchObject({ title: 'Coat', registeredAt: coat.at });
  });

  it('with a picture that it has already does not show that one twice', () => {
    expect(imagesOf(run(initialProduct, {}, { picture: picture('A2') }, {}))).toEqual([
      'A1 primary',
      'A2 gallery',
    ]);
  });

  it('again without a change says nothing', () => {
    const again = registerProduct({ ...coat, at: 'later' }, run(initialProduct, {}));
    expect(again).toEqual(accept());
  });

  it('keeps what the caller does not say again', () => {
    const said = { description: 'Wool', garmentCategoryId: 'C1' };
    expect(run(initialProduct, said, { title: 'New' })).toMatchObject({ ...said, title: 'New' });
    expect(run(initialProduct, said, { description: 'Felt' })).toMatchObject({ description: 'Felt' });
  });

  it('shows where an extracted picture came from, and keeps that when the next picture came from nowhere', () => {
    const extracted = run(initialProduct, { source: picture('S1') });
    expect(imagesOf(extracted)).toEqual(['A1 primary', 'S1 source_pdp']);
    const revised = run(extracted, { picture: picture('A2') });
    expect(imagesOf(revised)).toEqual(['A2 primary', 'A1 gallery', 'S1 source_pdp']);
    const other = run(revised, { picture: picture('A3'), source: picture('S2') });
    expect(imagesOf(other)).toEqual(['A3 primary', 'A2 gallery', 'A1 gallery', 'S2 source_pdp']);
  });

  it('never shows one picture in two roles', () => {
    const product = run(initialProduct, { source: picture('S1') });
    expect(imagesOf(run(product, { picture: picture('S1') }))).toEqual(['S1 primary', 'A1 gallery']);
  });

  it('keeps a bounded number of pictures, the latest ones', () => {
    const posts = Array.from({ length: 40 }, (_, index) => ({ picture: picture(`B${index}`) }));
    const images = imagesOf(run(initialProduct, ...posts));
    expect(images).toHaveLength(maxProductImages);
    expect(images.slice(0, 2)).toEqual(['B39 primary', 'B38 gallery']);
  });
});

describe('an external reference', () => {
  const assigned = { externalRef: 'sku-1', productId: 'P1', tenant: 'T1', at: coat.at };
  const event: ProductEvent = { type: 'ExternalRefAssigned', data: assigned };

  const reference = evolveProduct(initialProduct, event);

  it('is given to one product, once', () => {
    expect(assignExternalRef(assigned, initialProduct)).toEqual(accept(event));
    expect(reference).toEqual({ status: 'reference', productId: 'P1' });
    expect(assignExternalRef({ ...assigned, productId: 'P2' }, reference)).toEqual(accept());
  });

  it('stays with a product of an earlier release, which has the stream of the reference', () => {
    expect(assignExternalRef(assigned, run(initialProduct, {}))).toEqual(accept());
  });

  it('is no product', () => {
    expect(reviseProduct({ title: 'Coat', at: 'later' }, reference)).toMatchObject({ kind: 'rejected' });
    expect(() => registerProduct(coat, reference)).toThrow('is an external reference');
  });
});

describe('revising a product', () => {
  const active = run(initialProduct, {});
  const archived: ProductEvent = {
    type: 'ProductArchived',
    data: { reason: 'Archived by its owner.', at: 'later' },
  };
  const revised = (change: Parameters<typeof reviseProduct>[0], product: Product = active) => {
    const decided = reviseProduct(change, product);
    if (decided.kind === 'rejected') throw new Error('rejected');
    return { events: decided.events, product: decided.events.reduce(evolveProduct, product) };
  };

  it('changes what is named, empties what is null, and leaves the rest', () => {
    const { product } = revised({ description: 'Wool', garmentCategoryId: 'C1', at: 'later' });
    expect(product).toMatchObject({ title: 'Coat', description: 'Wool', garmentCategoryId: 'C1' });
    expect(revised({ description: null, at: 'later' }, product).product).toMatchObject({
      description: null,
      garmentCategoryId: 'C1',
      status: 'active',
    });
    const picture = { primary: { assetId: 'A2', storageKey: 'k', sha256: 'h' }, source: null };
    expect(revised({ picture, at: 'later' }).product).toMatchObject({
      images: [
        { assetId: 'A2', role: 'primary' },
        { assetId: 'A1', role: 'gallery' },
      ],
    });
  });

  it('keeps its person until another one is named or the person is cleared, beside those of its pictures', () => {
    const named = run(initialProduct, {
      dataSubjects: ['Anna'],
      picture: { ...picture('A1'), dataSubjects: ['Ben'] },
    });
    expect(personsOf(named)).toEqual(['Anna', 'Ben']);
    const renamed = revised({ title: 'Cape', at: 'later' }, named).product;
    expect(personsOf(renamed as KnownProduct)).toEqual(['Anna', 'Ben']);
    const other = revised({ dataSubjects: ['Carl'], at: 'later' }, named);
    expect(personsOf(other.product as KnownProduct)).toEqual(['Carl', 'Ben']);
    expect(revised({ dataSubjects: ['Carl'], at: 'later' }, other.product).events).toEqual([]);
    const cleared = revised({ dataSubjects: [], at: 'later' }, other.product).product;
    expect(personsOf(cleared as KnownProduct)).toEqual(['Ben']);
    expect(cleared).not.toHaveProperty('dataSubjects');
  });

  it('archives it once, leaves it archived when it is changed, and brings it back', () => {
    expect(revised({ status: 'archived', at: 'later' }).events).toEqual([archived]);
    const gone = evolveProduct(active, archived);
    expect(revised({ status: 'archived', at: 'later' }, gone).events).toEqual([]);
    expect(revised({ title: 'Cape', at: 'later' }, gone).product).toMatchObject({
      title: 'Cape',
      status: 'archived',
    });
    expect(revised({ status: 'active', at: 'later' }, gone).product).toMatchObject({ status: 'active' });
    expect(revised({ title: 'Coat', at: 'later' }).events).toEqual([]);
    expect(reviseProduct({ status: 'archived', at: 'later' }, initialProduct)).toMatchObject({
      kind: 'rejected',
    });
  });

  it('brings it back as well when it is registered again, even without a change', () => {
    expect(run(evolveProduct(active, archived), {}).status).toBe('active');
  });
});
