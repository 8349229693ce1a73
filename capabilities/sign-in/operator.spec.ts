import { describe, it } from 'vitest';
import { given } from '../../test/support/given.js';
import {
  addOperator,
  evolveOperator,
  initialOperator,
  revokeOperator,
  welcomeOperator,
  type AddedOperator,
} from './operator.js';
import type { OperatorEvent } from './operator.events.js';

const at = '2026-06-01T12:00:00.000Z';
const operator = { initial: initialOperator, evolve: evolveOperator };
const ada: AddedOperator = {
  name: 'ada',
  role: 'finance',
  tokenHash: 'ab',
  expiresAt: '2026-09-01T12:00:00.000Z',
  at,
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

describe('somebody whom their organisation has let in', () => {
  const { tokenHash: _tokenHash, ...bea } = { ...ada, name: 'bea', role: 'support' as const };
  const welcomed: OperatorEvent = { type: 'OperatorAdded', data: { ...bea, tokenHash: null } };
  const withoutRole = { ...bea, role: undefined };

  it('has the role that it tells, from each login on', () => {
    given(operator, [])
      .when((state) => welcomeOperator(bea, state))
      .then(welcomed);
    given(operator, [welcomed])
      .when((state) => welcomeOperator(bea, state))
      .then();
    const promoted = { ...bea, role: 'admin' as const, expiresAt: '2026-06-02T12:00:00.000Z' };
    given(operator, [welcomed])
      .when((state) => welcomeOperator(promoted, state))
      // A longer term that was given earlier stays in force.
      .then({ type: 'OperatorAdded', data: { ...promoted, expiresAt: bea.expiresAt, tokenHash: null } });
  });

  it('needs a role of ours where it tells none', () => {
    given(operator, [])
      .when((state) => welcomeOperator(withoutRole, state))
      .thenRejected({ code: 'OPERATOR_WITHOUT_ROLE' });
    given(operator, [welcomed])
      .when((state) => welcomeOperator(withoutRole, state))
      .then();
    given(operator, [welcomed])
      .when((state) => welcomeOperator({ ...withoutRole, at: bea.expiresAt }, state))
      .thenRejected({ code: 'OPERATOR_WITHOUT_ROLE' });
  });

  it('stays out once they were revoked, and is not somebody with a token', () => {
    given(operator, [welcomed, revoked])
      .when((state) => welcomeOperator(bea, state))
      .thenRejected({ code: 'OPERATOR_NOT_FOUND' });
    given(operator, [added])
      .when((state) => welcomeOperator(bea, state))
      .thenRejected({ code: 'OPERATOR_EXISTS' });
  });
});
