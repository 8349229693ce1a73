import { isId, newId } from '#platform/ids.js';
import { renderedAssetId } from './asset-id.js';

describe('the id of a rendered picture', () => {
  it('has the shape of a ULID', () => {
    for (let index = 0; index < 200; index++) expect(isId(renderedAssetId(newId(), 1, index))).toBe(true);
  });

  it('repeats for the same picture, and differs by job, attempt and place', () => {
    const [job, other] = [newId(), newId()];
    expect(renderedAssetId(job, 1, 0)).toBe(renderedAssetId(job, 1, 0));
    const ids = [
      renderedAssetId(job, 1, 0),
      renderedAssetId(job, 1, 1),
      renderedAssetId(job, 2, 0),
      renderedAssetId(other, 1, 0),
    ];
    expect(new Set(ids).size).toBe(4);
  });

  it('is the one that pictures of earlier releases are stored under', () => {
    expect(renderedAssetId('01JWZ0000000000000000000J1', 1, 0)).toBe('7JKTM7AN8YE3CSYPFR52N6GB49');
  });
});
