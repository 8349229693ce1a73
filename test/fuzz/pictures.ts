import sharp from 'sharp';

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
