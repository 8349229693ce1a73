import { describe, expect, it } from 'vitest';
import sharp from 'sharp';
import { evaluate } from './evaluate.js';

const flat = (background: string): Promise<Buffer> =>
  sharp({ create: { width: 200, height: 200, channels: 3, background } })
    .png()
    .toBuffer();

const drawn = (body: string): Promise<Buffer> =>
  sharp(Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400">${body}</svg>`))
    .png()
    .toBuffer();

const CHEQUERS = `<defs><pattern id="p" width="20" height="20" patternUnits="userSpaceOnUse"><rect width="20" height="20"
  fill="#fff"/><path d="M0 0h10v10H0zM10 10h10v10H10z"/></pattern></defs><rect width="400" height="400" fill="url(#p)"/>`;

describe('evaluate', () => {
  it('finds a flat grey as bright as it is, without contrast, colour or edges', async () => {
    const { exposure, ...rest } = await evaluate(await flat('#808080'));
    expect(exposure).toBeCloseTo(0.502, 2);
    expect(rest).toEqual({ sharpness: 0, contrast: 0, colourfulness: 0 });
  });

  it('measures full contrast where black and white share the picture', async () => {
    const { contrast, exposure } = await evaluate(await drawn(CHEQUERS));
    expect(contrast).toBeGreaterThan(0.48);
    expect(exposure).toBeCloseTo(0.5, 1);
  });

  it('finds a blurred picture less sharp', async () => {
    const sharpOne = await drawn(CHEQUERS);
    const soft = await sharp(sharpOne).blur(4).png().toBuffer();
    expect((await evaluate(soft)).sharpness).toBeLessThan((await evaluate(sharpOne)).sharpness / 10);
  });

  it('finds strong hues beside each other more colourful than one pale one', async () => {
    const strong = await drawn(
      '<rect width="400" height="400" fill="#d22"/><rect width="200" height="400" fill="#26c"/>',
    );
    expect((await evaluate(strong)).colourfulness).toBeGreaterThan(80);
    expect((await evaluate(await flat('#d8d4cc'))).colourfulness).toBeLessThan(5);
  });

  it('sees what is transparent as white', async () => {
    expect((await evaluate(await drawn('<circle r="1"/>'))).exposure).toBeGreaterThan(0.99);
  });
});
