import sharp from 'sharp';

/** The smallest picture that uploads accept in these specs. */
export function onePixelPng(): Promise<Buffer> {
  return sharp({ create: { width: 64, height: 96, channels: 3, background: '#88aacc' } })
    .png()
    .toBuffer();
}

/**
 * One picture of each format that uploads accept, with transparency, profiles and more than one block of
 * pixels.
 */
export function photographs(): Promise<Buffer[]> {
  const picture = () =>
    sharp({
      create: {
        width: 160,
        height: 120,
        channels: 3,
        background: '#336699',
        noise: { type: 'gaussian', mean: 128, sigma: 40 },
      },
    });
  return Promise.all([
    picture().jpeg().withMetadata().toBuffer(),
    picture().jpeg({ progressive: true }).toBuffer(),
    picture().ensureAlpha(0.5).png().toBuffer(),
    picture().png({ palette: true }).toBuffer(),
    picture().webp().toBuffer(),
    picture().webp({ lossless: true }).toBuffer(),
  ]);
}
