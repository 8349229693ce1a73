import { describe, expect, it } from 'vitest';
import { newId } from '#platform/ids.js';
import { renderedAssetId } from './job-attempt.js';

const startedAt = new Date('2026-06-01T12:00:00.000Z');

describe('the id of a rendered picture', () => {
  it('repeats for the same picture, and differs by job, attempt and place', () => {
    const [job, other] = [newId(), newId()];
    expect(renderedAssetId(job, 1, 0, startedAt)).toBe(renderedAssetId(job, 1, 0, startedAt));
    const ids = [
      renderedAssetId(job, 1, 0, startedAt),
      renderedAssetId(job, 1, 1, startedAt),
      renderedAssetId(job, 2, 0, startedAt),
      renderedAssetId(other, 1, 0, startedAt),
    ];
    expect(new Set(ids).size).toBe(4);
  });

  it('stays what it is from one release to the next', () => {
    expect(renderedAssetId('01JWZ0000000000000000000J1', 1, 0, startedAt)).toBe('01KT1GW6G0E3CSYPFR52N6GB49');
  });
});
