import { describe, it } from '@jest/globals';
import { given } from '../../../../test/support/given.js';
import type { OperationEvent } from './operation.events.js';
import {
  disableOperation,
  enableOperation,
  evolveOperation,
  initialOperation,
  priceOperation,
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
      .when((state) => priceOperation({ credits: 7, ...decided }, state))
      .then(priced);
    given(operation, [priced])
      .when((state) => priceOperation({ credits: 7, ...decided }, state))
      .then();
  });

  it.each([0, -1, 1.5, Number.NaN, 2_000_000_001])('never costs %s credits', (credits) => {
    const message = 'a price is a whole number of credits from 1 to 2000000000';
    given(operation, [])
      .when((state) => priceOperation({ credits, ...decided }, state))
      .thenRejected({ code: 'INVALID_PRICE', message });
  });

  it('is enabled until it is disabled, and can be enabled again', () => {
    given(operation, [])
      .when((state) => enableOperation(decided, state))
      .then();
    given(operation, [])
      .when((state) => disableOperation(decided, state))
      .then(disabled);
    given(operation, [disabled])
      .when((state) => disableOperation(decided, state))
      .then();
    given(operation, [disabled, priced])
      .when((state) => enableOperation(decided, state))
      .then(enabled);
  });
});
