import { describe, expect, it } from 'vitest';
import { inclusionPath, leafHash, merkleRoot, rootByPath } from './merkle.js';

// The inputs and roots with which implementations of RFC 6962 have tested each other since Certificate
// Transparency began.
const inputs = ['', '\0', '\x10', ' !', '01', '@ABC', 'PQRSTUVW', '`abcdefghijklmno'];
const roots = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];
const leaves = inputs.map(leafHash);

describe('a hash tree', () => {
  it('has the roots of RFC 6962', () => {
    expect(roots.map((_, index) => merkleRoot(leaves.slice(0, index + 1)).toString('hex'))).toEqual(roots);
  });

  it('leads from each leaf of each size to its root, and from no other leaf, place or size', () => {
    for (let count = 1; count <= leaves.length; count++) {
      const tree = leaves.slice(0, count);
      const root = merkleRoot(tree);
      for (const [index, leaf] of tree.entries()) {
        const path = inclusionPath(tree, index);
        expect(rootByPath(leaf, { index, count, path })).toEqual(root);
        const wrong = [
          rootByPath(leafHash('another'), { index, count, path }),
          rootByPath(leaf, { index: index + 1, count, path }),
          rootByPath(leaf, { index, count: 2 * count + 1, path }),
          rootByPath(leaf, { index, count, path: [...path, leaf] }),
          ...(count > 1 ? [rootByPath(leaf, { index, count, path: path.slice(1) })] : []),
        ];
        for (const other of wrong) expect(other?.equals(root) ?? false).toBe(false);
      }
    }
  });

  it('takes no node for a leaf', () => {
    const [one, two] = [leaves[0]!, leaves[1]!];
    const node = merkleRoot([one, two]);
    expect(leafHash(Buffer.concat([one, two]).toString('latin1'))).not.toEqual(node);
  });
});
