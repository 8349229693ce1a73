export interface JpegSize {
  readonly width: number;
  readonly height: number;
}

/** Start-of-frame markers are C0–CF without these: tables and arithmetic coding conditions (ITU-T T.81, table B.1). */
const noFrame = new Set([0xc4, 0xc8, 0xcc]);

/**
 * The size in pixels that a JPEG's first frame header states. It is read and not decoded: pictures that come through
 * here are the installation's own.
 * @throws RangeError for what is no JPEG
 */
export function jpegSize(bytes: Buffer): JpegSize {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) throw noJpeg();
  for (let offset = 2; offset + 9 <= bytes.length;) {
    if (bytes[offset] !== 0xff) throw noJpeg();
    // Within the buffer: the loop's condition leaves nine bytes.
    const marker = bytes[offset + 1]!;
    if (marker === 0xff) {
      // Markers may be padded with any number of these.
      offset += 1;
      continue;
    }
    if (marker >= 0xc0 && marker <= 0xcf && !noFrame.has(marker)) {
      const size = { height: bytes.readUInt16BE(offset + 5), width: bytes.readUInt16BE(offset + 7) };
      if (size.width === 0 || size.height === 0) throw noJpeg();
      return size;
    }
    offset += 2 + bytes.readUInt16BE(offset + 2);
  }
  throw noJpeg();
}

function noJpeg(): RangeError {
  return new RangeError('the picture is not a JPEG');
}
