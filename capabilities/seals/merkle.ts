import { hash } from 'node:crypto';

/**
 * The hash tree of RFC 6962, section 2.1: leaves and nodes have different prefixes in their hashes, so that a node
 * never passes for a leaf.
 */

/** The hash of a leaf: the byte 0 as prefix, then the text as UTF-8. */
export function leafHash(text: string): Buffer {
  return hash('sha256', `\0${text}`, 'buffer');
}

function nodeHash(left: Buffer, right: Buffer): Buffer {
  return hash('sha256', Buffer.concat([nodePrefix, left, right]), 'buffer');
}

const nodePrefix = Buffer.of(1);

/** The root over the leaves in their order. @throws RangeError without any */
export function merkleRoot(leaves: readonly Buffer[]): Buffer {
  let level = leaves;
  while (level.length > 1) level = levelAbove(level);
  const [root] = level;
  if (!root) throw new RangeError('a tree has at least one leaf');
  return root;
}

/** The nodes over pairs of neighbours; a node without a neighbour moves up unchanged. */
function levelAbove(level: readonly Buffer[]): Buffer[] {
  const above: Buffer[] = [];
  for (let index = 0; index < level.length; index += 2) {
    const [left, right] = [level[index]!, level[index + 1]];
    above.push(right ? nodeHash(left, right) : left);
  }
  return above;
}

/** The path from the leaf at this index to the root: the neighbours on the way, from the leaf up (RFC 6962, 2.1.1). */
export function inclusionPath(leaves: readonly Buffer[], index: number): Buffer[] {
  const path: Buffer[] = [];
  for (let level = leaves; level.length > 1; level = levelAbove(level), index >>= 1) {
    const neighbour = level[index ^ 1];
    if (neighbour) path.push(neighbour);
  }
  return path;
}

/**
 * The root that follows from a leaf and its path, or undefined if the path does not fit the leaf's place in a tree of
 * this size.
 */
export function rootByPath(
  leaf: Buffer,
  {
    index,
    count,
    path,
  }: { readonly index: number; readonly count: number; readonly path: readonly Buffer[] },
): Buffer | undefined {
  let node = leaf;
  let used = 0;
  let place = index;
  for (let width = count; width > 1; width = (width + 1) >> 1, place >>= 1) {
    // The last node of an odd number has no neighbour.
    if ((place ^ 1) >= width) continue;
    const neighbour = path[used++];
    if (!neighbour) return undefined;
    node = place & 1 ? nodeHash(neighbour, node) : nodeHash(node, neighbour);
  }
  return used === path.length && index >= 0 && index < count ? node : undefined;
}
