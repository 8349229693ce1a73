import { crc32 } from 'node:zlib';
import { isAvif, moved, storeBox, storeOfAvif } from './bmff.js';

/**
 * Where the formats of pictures keep a manifest store (C2PA 2.2, appendix A): PNG in a chunk `caBX`, JPEG in segments
 * APP11, WebP in a chunk `C2PA` at the end, AVIF in a box `uuid`.
 */
export type CarrierType = 'image/png' | 'image/jpeg' | 'image/webp' | 'image/avif';

/** A range of a file. */
export interface Place {
  readonly start: number;
  readonly length: number;
}

/** The format by the first bytes; undefined: none of the four. */
export function carrierOf(bytes: Buffer): CarrierType | undefined {
  if (bytes.subarray(0, 8).equals(pngSignature)) return 'image/png';
  if (bytes.length > 4 && bytes.readUInt16BE(0) === 0xffd8) return 'image/jpeg';
  const isWebp = bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP';
  if (isWebp) return 'image/webp';
  return isAvif(bytes) ? 'image/avif' : undefined;
}

/** Where a store of this length goes. @throws RangeError if the picture is broken */
export function gapFor(bytes: Buffer, type: CarrierType, storeBytes: number): Place {
  return { start: gapStart(bytes, type), length: wrapped(Buffer.alloc(storeBytes), type).length };
}

/** The bytes before and behind a gap, as they are in the file with the store. */
export function around(bytes: Buffer, type: CarrierType, { start, length }: Place): [Buffer, Buffer] {
  const [before, after] = [bytes.subarray(0, start), bytes.subarray(start)];
  if (type === 'image/avif') return [before, moved(after, length)];
  if (type !== 'image/webp') return [before, after];
  // The length of a RIFF file is part of it, so it is part of the hash.
  const head = Buffer.from(before);
  head.writeUInt32LE(start + length - 8, 4);
  return [head, after];
}

export function embed([before, after]: [Buffer, Buffer], type: CarrierType, store: Buffer): Buffer {
  return Buffer.concat([before, wrapped(store, type), after]);
}

function wrapped(store: Buffer, type: CarrierType): Buffer {
  switch (type) {
    case 'image/png':
      return pngChunk(store);
    case 'image/jpeg':
      return jpegSegments(store);
    case 'image/webp':
      return riffChunk(store);
    case 'image/avif':
      return storeBox(store);
    default:
      return type satisfies never;
  }
}

function gapStart(bytes: Buffer, type: CarrierType): number {
  switch (type) {
    case 'image/png':
      return pngHeaderBytes;
    case 'image/jpeg': {
      // The JFIF segment has to come first.
      const isJfif = bytes.readUInt16BE(2) === 0xffe0;
      return isJfif ? 4 + bytes.readUInt16BE(4) : 2;
    }
    case 'image/webp':
      return riffEnd(bytes);
    case 'image/avif':
      // Behind the first box, which names the format.
      return bytes.readUInt32BE(0);
    default:
      return type satisfies never;
  }
}

/** The store of a picture and the range that its hash leaves out; undefined: it has none. @throws RangeError */
export function extract(
  bytes: Buffer,
  type: CarrierType,
): { readonly store: Buffer; readonly place: Place } | undefined {
  switch (type) {
    case 'image/png':
      return storeOfPng(bytes);
    case 'image/jpeg':
      return storeOfJpeg(bytes);
    case 'image/webp':
      return storeOfWebp(bytes);
    case 'image/avif':
      return storeOfAvif(bytes);
    default:
      return type satisfies never;
  }
}

const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex');
/** The signature, and IHDR, which is always the first chunk and has 13 bytes (PNG, 5.2 and 11.2.2). */
const pngHeaderBytes = 8 + 4 + 4 + 13 + 4;

function pngChunk(store: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from('caBX'), store]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(store.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

function storeOfPng(bytes: Buffer) {
  for (let at = pngSignature.length; at + 12 <= bytes.length;) {
    const length = bytes.readUInt32BE(at);
    const end = at + 8 + length;
    if (
      bytes.toString('latin1', at + 4, at + 8) === 'caBX' &&
      bytes.readUInt32BE(end) === crc32(bytes.subarray(at + 4, end))
    )
      return { store: bytes.subarray(at + 8, at + 8 + length), place: { start: at, length: length + 12 } };
    at += length + 12;
  }
  return undefined;
}

/** A segment has at most 65,535 bytes. Its own head takes 10 of them, and the repeated head of the box 8. */
const segmentBytes = 65_000;
const boxHeadBytes = 8;
/** The bytes before the part of the box: the marker, the length, `JP`, the box's number and the part's. */
const segmentHeadBytes = 12;

function jpegSegments(store: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < store.length; at += segmentBytes) {
    const part = store.subarray(at, at + segmentBytes);
    const repeated = at === 0 ? Buffer.alloc(0) : store.subarray(0, boxHeadBytes);
    const head = Buffer.alloc(segmentHeadBytes);
    head.writeUInt16BE(0xffeb);
    head.writeUInt16BE(segmentHeadBytes - 2 + repeated.length + part.length, 2);
    head.write('JP', 4, 'latin1');
    head.writeUInt16BE(1, 6);
    head.writeUInt32BE(at / segmentBytes + 1, 8);
    parts.push(head, repeated, part);
  }
  return Buffer.concat(parts);
}

function storeOfJpeg(bytes: Buffer) {
  const parts: Buffer[] = [];
  let start: number | undefined;
  let end = 0;
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff;) {
    const marker = bytes.readUInt16BE(at);
    // The compressed picture begins.
    if (marker === 0xffda) break;
    const length = bytes.readUInt16BE(at + 2) + 2;
    // A picture may have other boxes in such segments; that of C2PA comes first, and its parts are numbered.
    const isJumbf =
      marker === 0xffeb &&
      bytes.toString('latin1', at + 4, at + 6) === 'JP' &&
      bytes.readUInt32BE(at + 8) === parts.length + 1;
    if (isJumbf) {
      start ??= at;
      end = at + length;
      const from = at + segmentHeadBytes + (parts.length === 0 ? 0 : boxHeadBytes);
      parts.push(bytes.subarray(from, end));
    }
    at += length;
  }
  return start === undefined
    ? undefined
    : { store: Buffer.concat(parts), place: { start, length: end - start } };
}

/** Chunks have an even length: a chunk with an odd one is followed by a zero, which its length leaves out. */
function riffChunk(store: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write('C2PA', 'latin1');
  head.writeUInt32LE(store.length, 4);
  return Buffer.concat([head, store, Buffer.alloc(store.length % 2)]);
}

function riffEnd(bytes: Buffer): number {
  const end = bytes.readUInt32LE(4) + 8;
  if (end > bytes.length) throw new RangeError('the picture ends too early');
  return end;
}

function storeOfWebp(bytes: Buffer) {
  for (let at = 12; at + 8 <= bytes.length;) {
    const length = bytes.readUInt32LE(at + 4);
    const whole = 8 + length + (length % 2);
    if (bytes.toString('latin1', at, at + 4) === 'C2PA')
      return { store: bytes.subarray(at + 8, at + 8 + length), place: { start: at, length: whole } };
    at += whole;
  }
  return undefined;
}
