import { describe, expect, it } from 'vitest';
import { given } from '../../../../test/support/given.js';
import type { OperationEvent } from './operation.events.js';
import {
  disableOperation,
  enableOperation,
  evolveOperation,
  initialOperation,
  priceAt,
  priceOperation,
  schedulePrice,
} from './operation.js';

const at = '2026-06-01T12:00:00.000Z';
const operation = { initial: initialOperation, evolve: evolveOperation };
const decided = { reason: 'spring prices', at };
const priced: OperationEvent = { type: 'OperationPriced', data: { credits: 7, ...decided } };
const disabled: OperationEvent = { type: 'OperationDisabled', data: decided };
const enabled: OperationEvent = { type: 'OperationEnabled', data: decided };

describe('an operation', () => {
  it('gets a price, and the same price once', () => {
    given(operation, [])
      .when(priceOperation, { credits: 7, ...decided })
      .then(priced);
    given(operation, [priced])
      .when(priceOperation, { credits: 7, ...decided })
      .then();
  });

  it.each([0, -1, 1.5, Number.NaN, 2_000_000_001])('never costs %s credits', (credits) => {
    const message = 'a price is a whole number of credits from 1 to 2000000000';
    given(operation, [])
      .when(priceOperation, { credits, ...decided })
      .thenRejected({ code: 'INVALID_PRICE', message });
  });

  it('is enabled until it is disabled, and can be enabled again', () => {
    given(operation, []).when(enableOperation, decided).then();
    given(operation, []).when(disableOperation, decided).then(disabled);
    given(operation, [disabled]).when(disableOperation, decided).then();
    given(operation, [disabled, priced]).when(enableOperation, decided).then(enabled);
  });
});

describe('a scheduled price', () => {
  const from = '2026-07-01T00:00:00.000Z';
  const scheduled: OperationEvent = {
    type: 'OperationPriceScheduled',
    data: { credits: 9, from, ...decided },
  };

  it('counts from its instant on, whoever looks, and not before', () => {
    const state = [priced, scheduled].reduce(evolveOperation, initialOperation);
    expect(priceAt(state, '2026-06-30T23:59:59.999Z')).toBe(7);
    expect(priceAt(state, from)).toBe(9);
    expect(priceAt(initialOperation, from)).toBeNull();
  });

  it('gives way to one that is set after it began, and stands beside one that is set before', () => {
    const sale = (when: string): OperationEvent => ({
      type: 'OperationPriced',
      data: { credits: 5, reason: 'a sale', at: when },
    });
    const early = [scheduled, sale('2026-06-15T00:00:00.000Z')].reduce(evolveOperation, initialOperation);
    expect([priceAt(early, '2026-06-16T00:00:00.000Z'), priceAt(early, from)]).toEqual([5, 9]);
    const late = [scheduled, sale('2026-07-15T00:00:00.000Z')].reduce(evolveOperation, initialOperation);
    expect(priceAt(late, '2026-07-16T00:00:00.000Z')).toBe(5);
    // The earlier price may be set again.
    given(operation, [priced, scheduled])
      .when(priceOperation, { credits: 7, reason: 'back', at: '2026-07-02T00:00:00.000Z' })
      .then({
        type: 'OperationPriced',
        data: { credits: 7, reason: 'back', at: '2026-07-02T00:00:00.000Z' },
      });
  });

  it('is scheduled once, for the future, and can be taken back', () => {
    given(operation, [])
      .when(schedulePrice, { credits: 9, from, ...decided })
      .then(scheduled);
    given(operation, [scheduled])
      .when(schedulePrice, { credits: 9, from, ...decided })
      .then();
    given(operation, [scheduled])
      .when(schedulePrice, { credits: null, from, ...decided })
      .then({ type: 'OperationPriceScheduled', data: { credits: null, from, ...decided } });
    given(operation, [])
      .when(schedulePrice, { credits: null, from, ...decided })
      .then();
    given(operation, [])
      .when(schedulePrice, { credits: 9, from: at, ...decided })
      .thenRejected({
        code: 'INVALID_MOMENT',
        message: 'a scheduled price must begin in the future; for now, set the price itself',
      });
  });
});
