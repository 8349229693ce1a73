import { setImmediate } from 'node:timers/promises';
import type { Sharp } from 'sharp';
import { chunksOf, type Chunk, type Likeness } from './likeness.value.js';

/**
 * Perceptual hashes: 256 bits that stay nearly the same when a picture is encoded again, scaled, or made lighter. As in
 * PDQ (ThreatExchange, 2019), they are the signs of a cosine transform of the grey picture, around its median. Unlike in PDQ,
 * the hash is of the middle 80 %, so that it is still there after a crop.
 */
const side = 128;
const samples = 64;
const frequencies = 16;
const bits = frequencies * frequencies;

/** The part of each side that is not hashed. A crop may take it away. */
const margin = 0.1;
/** So many places between no crop and the largest one are tried on each side. */
const steps = 5;

/**
 * Two pictures are alike if at most so many bits differ. 60 photographs, each cropped by up to 10 % on every side and some of
 * them halved, differed in at most 34 (docs/provenance.md).
 */
const alikeBits = 32;

/** A standard deviation. That of a photograph is above 20. */
const flatGreyLevels = 3;

/** The 256 bits as eight integers. */
type Words = readonly number[];

/** Rows of a matrix one after the other. */
type Matrix = Float64Array;

/** Grey pixels, row by row. Undefined: it is of one colour, or nearly so, and looks like all such pictures. */
export async function greyOf(picture: Sharp): Promise<Uint8Array | undefined> {
  const grey = await picture
    .autoOrient()
    .flatten({ background: '#ffffff' })
    .toColourspace('b-w')
    .resize(side, side, { fit: 'fill' })
    .raw()
    .toBuffer();
  const mean = grey.reduce((sum, value) => sum + value, 0) / grey.length;
  const variance = grey.reduce((sum, value) => sum + (value - mean) ** 2, 0) / grey.length;
  return Math.sqrt(variance) < flatGreyLevels ? undefined : grey;
}

export function likenessOf(grey: Uint8Array): Likeness {
  return inHex(signs(down(across(grey, uncropped), uncropped)));
}

/** The hashes that the original of a picture may have: one for each crop that may have made the picture of it. */
export interface SoughtLikeness {
  /** A picture that has none of them is not alike. */
  readonly chunks: readonly Chunk[];
  /** How many of the 256 bits differ; undefined: the pictures are not alike. */
  difference(likeness: Likeness): number | undefined;
}

/** The hashes take some tens of milliseconds of CPU, so other work gets its turn in between. */
export async function seek(grey: Uint8Array): Promise<SoughtLikeness> {
  const hashes = new Map<Likeness, Words>();
  for (const columns of windows) {
    const part = across(grey, columns);
    for (const rows of windows) {
      const packed = signs(down(part, rows));
      hashes.set(inHex(packed), wordsOf(packed));
    }
    await setImmediate();
  }
  const chunks = [...hashes].flatMap(([likeness, words]) =>
    chunksOf(likeness).map((chunk) => ({ chunk, words })),
  );
  const having: ReadonlyMap<Chunk, typeof chunks> = Map.groupBy(chunks, ({ chunk }) => chunk);
  return {
    chunks: [...having.keys()],
    difference(likeness) {
      const words = wordsOf(Buffer.from(likeness, 'hex'));
      const near = chunksOf(likeness).flatMap((chunk) => having.get(chunk) ?? []);
      const nearest = Math.min(...near.map((each) => differing(words, each.words)));
      return nearest <= alikeBits ? nearest : undefined;
    },
  };
}

/** From the pixels of a side to its frequencies, for a window between two parts of that side. */
function transform(from: number, to: number): Matrix {
  const matrix = new Float64Array(frequencies * side);
  const step = ((to - from) * side) / samples;
  for (let sample = 0; sample < samples; sample++) {
    const start = from * side + sample * step;
    for (let pixel = Math.floor(start); pixel < Math.min(side, start + step); pixel++) {
      const share = (Math.min(start + step, pixel + 1) - Math.max(start, pixel)) / step;
      for (let frequency = 0; frequency < frequencies; frequency++)
        matrix[frequency * side + pixel]! += share * cosine(sample, frequency + 1);
    }
  }
  return matrix;
}

const cosine = (sample: number, frequency: number) =>
  Math.cos((Math.PI / samples) * (sample + 0.5) * frequency);

const uncropped = transform(margin, 1 - margin);

/** Where the hashed part of the original is in a picture that lacks a part of each side. */
const windows = cuts().map(([before, after]) => {
  const left = 1 - before - after;
  return transform((margin - before) / left, (1 - margin - before) / left);
});

function cuts(): (readonly [before: number, after: number])[] {
  const tried = Array.from({ length: steps }, (_, index) => (margin * index) / (steps - 1));
  return tried.flatMap((before) => tried.map((after) => [before, after] as const));
}

/** By frequency, one value for each row of pixels. */
function across(grey: Uint8Array, columns: Matrix): Matrix {
  const part = new Float64Array(frequencies * side);
  for (let frequency = 0; frequency < frequencies; frequency++)
    for (let row = 0; row < side; row++) {
      let sum = 0;
      for (let pixel = 0; pixel < side; pixel++)
        sum += grey[row * side + pixel]! * columns[frequency * side + pixel]!;
      part[frequency * side + row] = sum;
    }
  return part;
}

function down(part: Matrix, rows: Matrix): Matrix {
  const values = new Float64Array(bits);
  for (let vertical = 0; vertical < frequencies; vertical++)
    for (let horizontal = 0; horizontal < frequencies; horizontal++) {
      let sum = 0;
      for (let row = 0; row < side; row++)
        sum += rows[vertical * side + row]! * part[horizontal * side + row]!;
      values[vertical * frequencies + horizontal] = sum;
    }
  return values;
}

function signs(values: Matrix): Buffer {
  const median = values.toSorted()[bits / 2]!;
  const packed = Buffer.alloc(bits / 8);
  values.forEach((value, index) => {
    if (value >= median) packed[index >> 3]! |= 1 << (index & 7);
  });
  return packed;
}

const inHex = (packed: Buffer): Likeness => packed.toString('hex');

const wordsOf = (packed: Buffer): Words =>
  Array.from({ length: bits / 32 }, (_, index) => packed.readInt32LE(index * 4));

function differing(one: Words, other: Words): number {
  return one.reduce((sum, word, index) => sum + setBits(word ^ other[index]!), 0);
}

function setBits(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
