/** 256 bits in hex. */
export type Likeness = string;

/** The number of a chunk as one hex digit, and its 16 bits in hex. A search finds what shares a chunk with the picture. */
export type Chunk = string;

/** An erased one is another text. */
export const isLikeness = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);

export function chunksOf(likeness: Likeness): Chunk[] {
  const chunks = likeness.match(/.{4}/g) ?? [];
  return chunks.map((chunk, index) => `${index.toString(16)}${chunk}`);
}

export function ofChunks(chunks: readonly Chunk[]): Likeness {
  return chunks.map((chunk) => chunk.slice(1)).join('');
}
