import { describe, expect, it } from 'vitest';
import { accept } from '#domain/decision.js';
import type { ErasureEvent } from './erasure.events.js';
import {
  completeErasure,
  evolveErasure,
  initialErasure,
  recordStep,
  requestErasure,
  type Erasure,
} from './erasure.js';

const at = '2026-02-01T08:30:00.001Z';
const request = {
  erasureId: 'E1',
  tenant: 'T1',
  targets: [{ kind: 'upload' as const, id: 'A1' }],
  derived: false,
  by: 'key:K1',
  again: false,
  at,
};
const requested: ErasureEvent = { type: 'ErasureRequested', data: request };
const step = { step: 'bytes' as const, counts: { objects: 1 }, at };
const completed = { receipt: '{}', key: null, signature: null, at };
const after = (...events: ErasureEvent[]): Erasure => events.reduce(evolveErasure, initialErasure);

describe('an erasure', () => {
  it('is requested once', () => {
    expect(requestErasure(request, initialErasure)).toEqual(accept(requested));
    expect(requestErasure({ ...request, at: 'later' }, after(requested))).toEqual(accept());
  });

  it('records each step once', () => {
    const stepped: ErasureEvent = { type: 'ErasureStepped', data: step };
    expect(recordStep(step, after(requested))).toEqual(accept(stepped));
    expect(recordStep(step, after(requested, stepped))).toEqual(accept());
    expect(after(requested, stepped)).toMatchObject({ status: 'running', steps: [step] });
  });

  it('completes once, and takes no step then', () => {
    const end: ErasureEvent = { type: 'ErasureCompleted', data: completed };
    expect(completeErasure(completed, after(requested))).toEqual(accept(end));
    expect(completeErasure({ ...completed, at: 'later' }, after(requested, end))).toEqual(accept());
    expect(recordStep(step, after(requested, end))).toEqual(accept());
  });

  it('has to be requested first', () => {
    expect(recordStep(step, initialErasure)).toMatchObject({ kind: 'rejected' });
    expect(completeErasure(completed, initialErasure)).toMatchObject({ kind: 'rejected' });
    expect(() => after({ type: 'ErasureStepped', data: step })).toThrow('never requested');
  });
});
