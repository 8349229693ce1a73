import { encode } from 'cborg';

/** A room has at least so many bytes more than a token needs. Lengths of tokens differ by a few bytes. */
const leastPadBytes = 24;

/** The header of a signature that the signature does not cover: `tstContainer`, and zeros that fill the room. */
const headerOf = (token: Buffer, padBytes: number) => ({
  sigTst2: { tstTokens: [{ val: token }] },
  pad: Buffer.alloc(padBytes),
});

/**
 * The header of a signature, with room for a time-stamp that comes later (C2PA 2.2, 10.3.2.5). What is signed depends on
 * its length.
 */
export const roomFor = (tokenBytes: number): object => headerOf(Buffer.alloc(tokenBytes), leastPadBytes);

/** The same header, as long, with the token in it. Undefined: no pad makes it as long. */
export function roomWith(token: Buffer, tokenBytes: number): object | undefined {
  const { length } = encode(roomFor(tokenBytes));
  const padBytes = leastPadBytes + tokenBytes - token.length;
  if (padBytes < leastPadBytes) return undefined;
  // The length of a pad takes one byte more from 256 bytes on.
  return [padBytes, padBytes - 1]
    .map((each) => headerOf(token, each))
    .find((header) => encode(header).length === length);
}
