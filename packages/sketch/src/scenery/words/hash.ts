/** FNV-1a: the same words always give the same 32 bits. */
export function hashWords(words: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < words.length; i++) hash = Math.imul(hash ^ words.charCodeAt(i), 0x01000193);
  return (hash ^ (hash >>> 13)) >>> 0;
}
