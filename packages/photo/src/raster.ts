import sharp, { type Sharp } from 'sharp';

/** Straight (not premultiplied) RGBA, four bytes a pixel, row by row. */
export interface Picture {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** A rectangle in pixels. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** One number for each pixel, mostly 0–1, row by row. */
export interface Plane {
  readonly data: Float32Array;
  readonly width: number;
  readonly height: number;
}

const raw = ({ data, width, height }: Picture): Sharp =>
  sharp(data, { raw: { width, height, channels: 4 } });

/** A part of a picture, or all of it, at another size; what is transparent lies on grey. */
export async function rgbOf(picture: Picture, box: Box, width: number, height: number): Promise<Uint8Array> {
  return raw(picture)
    .flatten({ background: '#808080' })
    .extract({ ...box })
    .resize(width, height, { fit: 'fill', kernel: 'lanczos3' })
    .raw()
    .toBuffer();
}

/** The same picture at another size. */
export async function resized(picture: Picture, width: number, height: number): Promise<Picture> {
  if (width === picture.width && height === picture.height) return picture;
  const kernel = width > picture.width ? 'cubic' : 'lanczos3';
  const data = await raw(picture).resize(width, height, { fit: 'fill', kernel }).raw().toBuffer();
  return { data, width, height };
}

/** A plane at another size, interpolated linearly between the middles of its pixels. */
export function scaledPlane({ data, width, height }: Plane, toWidth: number, toHeight: number): Plane {
  const out = new Float32Array(toWidth * toHeight);
  const columns = Array.from({ length: toWidth }, (_, x) =>
    Math.min(width - 1, Math.max(0, ((x + 0.5) * width) / toWidth - 0.5)),
  );
  const [left, right, share] = [
    Int32Array.from(columns, Math.floor),
    Int32Array.from(columns, (x) => Math.min(width - 1, Math.floor(x) + 1)),
    Float32Array.from(columns, (x) => x - Math.floor(x)),
  ];
  for (let y = 0, o = 0; y < toHeight; y++) {
    const v = Math.min(height - 1, Math.max(0, ((y + 0.5) * height) / toHeight - 0.5));
    const above = Math.floor(v) * width;
    const below = Math.min(height - 1, Math.floor(v) + 1) * width;
    const down = v - Math.floor(v);
    for (let x = 0; x < toWidth; x++, o++) {
      const [l = 0, r = 0, t = 0] = [left[x], right[x], share[x]];
      const top = (data[above + l] ?? 0) * (1 - t) + (data[above + r] ?? 0) * t;
      const bottom = (data[below + l] ?? 0) * (1 - t) + (data[below + r] ?? 0) * t;
      out[o] = top * (1 - down) + bottom * down;
    }
  }
  return { data: out, width: toWidth, height: toHeight };
}

/** The mean over a square of `2 · reach + 1` pixels around each pixel, clipped to the plane. */
export function boxMean({ data, width, height }: Plane, reach: number): Plane {
  const across = new Float32Array(data.length);
  for (let y = 0; y < height; y++) {
    const row = y * width;
    let sum = 0;
    for (let x = 0; x < Math.min(width, reach); x++) sum += data[row + x] ?? 0;
    for (let x = 0; x < width; x++) {
      if (x + reach < width) sum += data[row + x + reach] ?? 0;
      if (x - reach - 1 >= 0) sum -= data[row + x - reach - 1] ?? 0;
      across[row + x] = sum / (Math.min(width - 1, x + reach) - Math.max(0, x - reach) + 1);
    }
  }
  const out = new Float32Array(data.length);
  const sums = new Float64Array(width);
  const add = (y: number, sign: number): void => {
    if (y < 0 || y >= height) return;
    for (let x = 0, i = y * width; x < width; x++, i++) sums[x] = (sums[x] ?? 0) + sign * (across[i] ?? 0);
  };
  for (let y = 0; y < Math.min(height, reach); y++) add(y, 1);
  for (let y = 0; y < height; y++) {
    add(y + reach, 1);
    add(y - reach - 1, -1);
    const count = Math.min(height - 1, y + reach) - Math.max(0, y - reach) + 1;
    for (let x = 0, i = y * width; x < width; x++, i++) out[i] = (sums[x] ?? 0) / count;
  }
  return { data: out, width, height };
}
