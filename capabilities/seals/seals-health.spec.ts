import { describe, expect, it } from 'vitest';
import { sealsHealth } from './seals-health.js';

const sealed = { last: 3, sealed_at: '2026-01-01T00:00:00Z', waiting_since: 'noon' };

describe('what people wait for because of seals', () => {
  it('is nothing while seals come in time', () => {
    expect(sealsHealth.reasons({ ...sealed, late: false })).toEqual([]);
  });

  it('is the first event whose seal is late', () => {
    expect(sealsHealth.reasons({ ...sealed, late: true })).toEqual([
      { env: null, detail: expect.stringContaining('since noon') },
    ]);
  });
});
