import sharp from 'sharp';
import type { Artifact, Client } from './client.js';

/** A rectangle from the upper left corner, in shares of width and height. */
export interface Place {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface Colour {
  readonly r: number;
  readonly g: number;
  readonly b: number;
}

/** A picture that was downloaded from its presigned URL and fully decoded. */
export class Picture {
  private constructor(
    readonly artifact: Artifact,
    readonly bytes: Buffer,
    readonly width: number,
    readonly height: number,
    /** The greatest standard deviation of a channel, out of 255; a blank sheet has 0. */
    readonly contrast: number,
  ) {}

  /** @throws Error if the URL does not answer or does not return a whole picture */
  static async download(client: Client, artifact: Artifact): Promise<Picture> {
    const bytes = await client.download(artifact.image_url);
    const { width, height } = await sharp(bytes).metadata();
    // Transparent pixels have a colour too, which is invisible.
    const { channels } = await sharp(bytes).flatten({ background: '#ffffff' }).stats();
    return new Picture(artifact, bytes, width, height, Math.max(...channels.map(({ stdev }) => stdev)));
  }

  /** Mean colour of a place. */
  async colour({ left, top, width, height }: Place): Promise<Colour> {
    const area = {
      left: Math.round(left * this.width),
      top: Math.round(top * this.height),
      width: Math.round(width * this.width),
      height: Math.round(height * this.height),
    };
    const cut = await sharp(this.bytes).flatten({ background: '#ffffff' }).extract(area).png().toBuffer();
    const { channels } = await sharp(cut).stats();
    const [r = 0, g = 0, b = 0] = channels.map(({ mean }) => mean);
    return { r, g, b };
  }
}

/** Distance of two colours, from 0 to 441. */
export const distance = (one: Colour, other: Colour): number =>
  Math.hypot(one.r - other.r, one.g - other.g, one.b - other.b);

/** The places of things in a picture of a person who stands upright in the middle. */
export const places = {
  upperCorner: { left: 0.02, top: 0.02, width: 0.12, height: 0.12 },
  chest: { left: 0.44, top: 0.4, width: 0.12, height: 0.08 },
} as const satisfies Record<string, Place>;
