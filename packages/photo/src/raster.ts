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

const raw = ({ data, width, height }: Picture): Sharp => sharp(data, { raw: { width, height, channels: 4 } });

/** A part of a picture, or all of it, at another size; transparent pixels become grey. */
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

/**
 * The rows of a plane at another size, interpolated linearly between the middles of its pixels. Each call
 * reuses the same array, because a dozen planes of a large picture would take hundreds of megabytes.
 */
export function rowsOf(
  { data, width, height }: Plane,
  toWidth: number,
  toHeight: number,
): (y: number) => Float32Array {
  const within = (v: number, end: number): number => (v < 0 ? 0 : v > end ? end : v);
  const left = new Int32Array(toWidth);
  const share = new Float32Array(toWidth);
  for (let x = 0; x < toWidth; x++) {
    const u = within(((x + 0.5) * width) / toWidth - 0.5, width - 1);
    left[x] = Math.min(Math.max(0, width - 2), Math.floor(u));
    share[x] = u - (left[x] ?? 0);
  }
  const row = new Float32Array(toWidth);
  const right = width > 1 ? 1 : 0;
  return (y) => {
    const v = within(((y + 0.5) * height) / toHeight - 0.5, height - 1);
    const above = Math.floor(v) * width;
    const below = Math.min(height - 1, Math.floor(v) + 1) * width;
    const down = v - Math.floor(v);
    for (let x = 0; x < toWidth; x++) {
      const [l = 0, t = 0] = [left[x], share[x]];
      const top = (data[above + l] ?? 0) * (1 - t) + (data[above + l + right] ?? 0) * t;
      const bottom = (data[below + l] ?? 0) * (1 - t) + (data[below + l + right] ?? 0) * t;
      row[x] = top * (1 - down) + bottom * down;
    }
    return row;
  };
}

/** A plane at another size. */
export function scaledPlane(plane: Plane, width: number, height: number): Plane {
  const rows = rowsOf(plane, width, height);
  const data = new Float32Array(width * height);
  for (let y = 0; y < height; y++) data.set(rows(y), y * width);
  return { data, width, height };
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

/** An unchanged box, in the middle of the model's square input. */
export async function squared(picture: Picture, box: Box, model: Omit<Box, 'left' | 'top'>) {
  const scale = Math.min(model.width / box.width, model.height / box.height);
  const [w, h] = [Math.max(1, Math.round(box.width * scale)), Math.max(1, Math.round(box.height * scale))];
  const rgb = await rgbOf(picture, box, w, h);
  const square = new Uint8Array(model.width * model.height * 3);
  const [dx, dy] = [(model.width - w) >> 1, (model.height - h) >> 1];
  for (let y = 0; y < h; y++)
    square.set(rgb.subarray(y * w * 3, (y + 1) * w * 3), ((y + dy) * model.width + dx) * 3);
  return { square, scale, dx, dy };
}
