import { describe, expect, it } from 'vitest';
import { accept, reject } from '#domain/decision.js';
import { evolveHolds, initialHolds, liftHold, placeHold } from './legal-hold.js';

const at = '2026-02-01T08:30:00.001Z';
const hold = { holdId: 'H1', jobId: 'J1', dataSubject: null, reason: 'case 7', at };
const placed = { type: 'LegalHoldPlaced', data: hold } as const;
const lifted = { type: 'LegalHoldLifted', data: { holdId: 'H1', reason: 'closed', at } } as const;

describe('a legal hold', () => {
  it('is placed once, and beside another one on the same job', () => {
    expect(placeHold(hold, initialHolds)).toEqual(accept(placed));
    const holds = evolveHolds(initialHolds, placed);
    expect(placeHold(hold, holds)).toEqual(accept());
    expect(placeHold({ ...hold, holdId: 'H2' }, holds).kind).toBe('accepted');
  });

  it('is in force until it is lifted, which happens once', () => {
    const holds = evolveHolds(initialHolds, placed);
    expect(holds).toEqual([hold]);
    expect(liftHold(lifted.data, holds)).toEqual(accept(lifted));
    const after = evolveHolds(holds, lifted);
    expect(after).toEqual([]);
    expect(liftHold(lifted.data, after)).toEqual(reject({ code: 'HOLD_NOT_FOUND' }));
  });
});
