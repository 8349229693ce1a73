import { describe, it } from '@jest/globals';
import { given } from '../../../../test/support/given.js';
import {
  addOperator,
  evolveOperator,
  initialOperator,
  revokeOperator,
  type AddedOperator,
} from './operator.js';
import type { OperatorEvent } from './operator.events.js';

const at = '2026-06-01T12:00:00.000Z';
const operator = { initial: initialOperator, evolve: evolveOperator };
const ada: AddedOperator = {
  ...{ name: 'ada', role: 'finance', tokenHash: 'ab', expiresAt: '2026-09-01T12:00:00.000Z', at },
};
const added: OperatorEvent = { type: 'OperatorAdded', data: ada };
const revoked: OperatorEvent = { type: 'OperatorRevoked', data: { reason: 'left', at } };

describe('an operator', () => {
  it('is added once, and again after a revocation or the expiry', () => {
    given(operator, [])
      .when((state) => addOperator(ada, state))
      .then(added);
    given(operator, [added])
      .when((state) => addOperator(ada, state))
      .thenRejected({ code: 'OPERATOR_EXISTS' });
    given(operator, [added, revoked])
      .when((state) => addOperator(ada, state))
      .then(added);
    const later = { ...ada, at: '2026-10-01T12:00:00.000Z' };
    given(operator, [added])
      .when((state) => addOperator(later, state))
      .then({ type: 'OperatorAdded', data: later });
  });

  it('is revoked once', () => {
    given(operator, [added])
      .when((state) => revokeOperator({ reason: 'left', at }, state))
      .then(revoked);
    given(operator, [added, revoked])
      .when((state) => revokeOperator({ reason: 'left', at }, state))
      .then();
    given(operator, [])
      .when((state) => revokeOperator({ reason: 'left', at }, state))
      .thenRejected({ code: 'OPERATOR_NOT_FOUND' });
  });
});
