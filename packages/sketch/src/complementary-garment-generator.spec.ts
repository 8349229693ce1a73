import { describe, expect, it } from 'vitest';
import { categoryById, garmentCategories } from '../../../libs/domain/src/garment/garment-categories.js';
import { SvgSheet } from './drawing/svg-sheet.js';
import { cutOut } from './cutout/cut-out.js';
import { Silhouette } from './cutout/silhouette.js';
import { drawGarment } from './garments/draw-garment.js';
import { garmentFacts, garmentFromBody, garmentFromMeta } from './garments/garment-spec.js';
import { categoryId, make, shareOf, type Made } from './garments/sheet.fixture.js';

const known = { garmentKind: categoryById };
const specOf = (body: Parameters<typeof garmentFromBody>[0]) => garmentFromBody(body, known);

const skirt = { garment_category_public_id: categoryId('skirt') };
const authoring = { primary_colour: '#a0282c', material: 'cotton' };

let base: Promise<Made> | undefined;
const plain = (): Promise<Made> =>
  (base ??= make('complementary-garment-generator', { ...skirt, authoring }));

const svgOf = (fields: Record<string, unknown>): string =>
  drawGarment(new SvgSheet(), specOf({ ...skirt, authoring: { ...authoring, ...fields } }), 7).svg;

describe('complementary-garment-generator', () => {
  it('shows the cloth and the cut, then the garment, in its colour in the middle of plain paper', async () => {
    const { picture, stages } = await plain();
    expect(stages.map((s) => [s.stage, s.pictures[0]?.kind])).toEqual([
      ['cloth', 'cloth_swatch'],
      ['cut', 'garment_pattern'],
    ]);
    expect(picture).toMatchObject({ kind: 'complementary_garment', width: 819, height: 1024 });
    expect(picture.meta).toMatchObject({
      garment_category_public_id: skirt.garment_category_public_id,
      category_key: 'skirt',
      slot: 'bottom',
      primary_colour: '#a0282c',
      material: 'cotton',
      pattern: 'solid',
    });
    expect(await shareOf(picture.bytes, [0.4, 0.4, 0.6, 0.6], '#a0282c')).toBeGreaterThan(0.8);
    expect(await shareOf(picture.bytes, [0, 0, 0.08, 0.08], '#f4f1ea', 30)).toBe(1);
  });

  it('can be cut out again like any product picture', async () => {
    const cut = await cutOut((await plain()).picture.bytes, 800, 'item');
    const shape = new Silhouette(cut.mask);
    // An A-line: the hem is broader than the waist.
    const breadth = (share: number): number => {
      const { from, to } = shape.extent(shape.row(share));
      return to - from;
    };
    expect(breadth(0.9)).toBeGreaterThan(breadth(0.05) * 1.3);
  });

  it('draws the same bytes for the same request, and takes the display name as its label', async () => {
    const again = await make('complementary-garment-generator', { ...skirt, authoring }, [], {
      displayName: 'Rosso',
    });
    expect(again.picture.bytes.equals((await plain()).picture.bytes)).toBe(true);
    expect(again.picture.label).toBe('Rosso');
  });

  it.each([
    ['colour', { primary_colour: 'navy' }],
    ['material', { material: 'denim' }],
    ['pattern', { pattern: 'polka dots' }],
    ['form', { form: { preset: 'a_line' } }],
    ['length', { length: { preset: 'maxi' } }],
    ['detail', { distinctive_details: [{ preset: 'custom', custom_text: 'a ruffle at the hem' }] }],
  ])('draws another garment when the %s differs', (_, fields) => {
    expect(svgOf(fields)).not.toBe(svgOf({}));
  });

  it.each([
    'stripes',
    'pinstripe',
    'checks',
    'plaid',
    'gingham',
    'polka dots',
    'floral',
    'paisley',
    'houndstooth',
    'leopard',
    'ikat',
    'block print',
    'geometric',
    'something unheard of',
  ])('prints %s, unlike plain cloth and unlike any other', (pattern) => {
    const others = ['solid', 'stripes', 'floral'].filter((other) => other !== pattern);
    const sheetOf = (words: string): string => {
      const sheet = new SvgSheet();
      const { svg } = drawGarment(
        sheet,
        specOf({ ...skirt, authoring: { ...authoring, pattern: words } }),
        7,
      );
      return sheet.document(10, 10, svg);
    };
    for (const other of others) expect(sheetOf(pattern)).not.toBe(sheetOf(other));
  });

  it('reads the three bodies alike', () => {
    const said = { material: 'silk', pattern: 'floral', length: 'midi' };
    const flat = specOf({ ...skirt, ...said, color: 'teal', fit: 'loose' });
    const nested = specOf({ ...skirt, attributes: { ...said, colour: 'teal', fit: 'loose' } });
    const authored = specOf({
      ...skirt,
      authoring: { ...said, primary_colour: 'teal', form: { preset: 'loose' }, length: { preset: 'midi' } },
    });
    expect(nested).toEqual(flat);
    expect({ ...authored, form: '' }).toEqual(flat);
  });

  it('keeps in the meta all that is needed to draw the garment again', () => {
    const spec = specOf({
      ...skirt,
      authoring: {
        ...authoring,
        form: { preset: 'custom', custom_text: 'circle cut' },
        distinctive_details: [{ preset: 'side_slit' }],
      },
    });
    expect(garmentFromMeta(JSON.parse(JSON.stringify({ garment: garmentFacts(spec) })), known)).toEqual(spec);
    expect(garmentFromMeta({ garment: { category_public_id: 'x' } }, known)).toBeUndefined();
  });

  it.each(garmentCategories.map((c) => [c.key, c.publicId] as const))(
    'has a drawing of its own for %s',
    (_, publicId) => {
      const spec = specOf({ garment_category_public_id: publicId });
      const { svg, left, top, right, bottom } = drawGarment(new SvgSheet(), spec, 1);
      expect(svg.length).toBeGreaterThan(400);
      expect(svg).not.toContain('NaN');
      expect(right - left).toBeGreaterThan(10);
      expect(bottom - top).toBeGreaterThan(10);
    },
  );

  it('refuses a category that does not exist as bad input', async () => {
    await expect(
      make('complementary-garment-generator', { garment_category_public_id: '0'.repeat(26) }),
    ).rejects.toMatchObject({
      errorClass: 'bad_input',
      message: expect.stringContaining('garment_category_public_id'),
    });
  });
});
