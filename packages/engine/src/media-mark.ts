import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import type { DigitalSource, EnginePicture } from './image-engine.js';

/**
 * The mark as XMP. It holds the digital source type of the IPTC Extension, by which readers recognise generated
 * pictures, and names the generator and the job.
 */
export function xmpOf(source: DigitalSource, reference: string): string {
  const iptc = 'http://cv.iptc.org/newscodes/digitalsourcetype';
  const packet = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/" Iptc4xmpExt:DigitalSourceType="${iptc}/${source}" xmp:CreatorTool="Atelier" dc:identifier="${reference}"/></rdf:RDF></x:xmpmeta>`;
  return `<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>${packet}<?xpacket end="w"?>`;
}

/** The source type of a picture, also if its engine does not state it. */
export function sourceOf({
  digitalSource = 'algorithmicMedia',
}: Pick<EnginePicture, 'digitalSource'>): DigitalSource | null {
  return digitalSource;
}

/**
 * The picture with a mark that says it is generated. The pixels do not change; PNG and JPEG are not re-encoded.
 */
export async function withMediaMark(picture: EnginePicture, reference: string): Promise<Buffer> {
  const { bytes, contentType } = picture;
  const digitalSource = sourceOf(picture);
  if (digitalSource === null) return bytes;
  const xmp = xmpOf(digitalSource, reference);
  switch (contentType) {
    case 'image/png':
      return inserted(bytes, pngHeaderBytes, pngChunk('iTXt', `XML:com.adobe.xmp\0\0\0\0\0${xmp}`));
    case 'image/jpeg':
      return inserted(bytes, endOfJfif(bytes), jpegSegment(`http://ns.adobe.com/xap/1.0/\0${xmp}`));
    case 'image/webp':
      return sharp(bytes).withXmp(xmp).webp({ lossless: true }).toBuffer();
    default:
      return contentType satisfies never;
  }
}

const inserted = (bytes: Buffer, at: number, more: Buffer): Buffer =>
  Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at)]);

/** The signature, and IHDR, which is always the first chunk and has 13 bytes (PNG, 5.2 and 11.2.2). */
const pngHeaderBytes = 8 + 4 + 4 + 13 + 4;

function pngChunk(type: string, text: string): Buffer {
  const body = Buffer.from(type + text);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length - type.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

/**
 * The mark goes behind the start of the image, and behind the JFIF segment, which has to come first if there is
 * one.
 */
function endOfJfif(bytes: Buffer): number {
  const startOfImage = 2;
  const isJfif = bytes.readUInt16BE(startOfImage) === 0xffe0;
  return isJfif ? startOfImage + 2 + bytes.readUInt16BE(startOfImage + 2) : startOfImage;
}

function jpegSegment(text: string): Buffer {
  const body = Buffer.from(text);
  const head = Buffer.alloc(4);
  head.writeUInt16BE(0xffe1);
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([head, body]);
}
