import { describe, it } from 'vitest';
import { given } from '../../../test/support/given.js';
import {
  approveClosing,
  beginClosing,
  cancelClosing,
  completeClosing,
  evolveClosing,
  initialClosing,
  proposeClosing,
} from './closing.js';
import type { ClosingEvent } from '../closing.events.js';

const at = '2026-06-01T12:00:00.000Z';
const dueAt = '2026-07-01T12:00:00.000Z';
const closing = { initial: initialClosing, evolve: evolveClosing };
const order = { tenant: 'acme', noticeDays: 30, by: 'ada', at };
const proposed: ClosingEvent = { type: 'TenantClosingProposed', data: order };
const approved: ClosingEvent = {
  type: 'TenantClosingApproved',
  data: { by: 'bob', dueAt, suspended: false, at },
};
const cancelled: ClosingEvent = { type: 'TenantClosingCancelled', data: { by: 'ada', at } };
const begun: ClosingEvent = { type: 'TenantClosingBegun', data: { at: dueAt } };
const closed: ClosingEvent = { type: 'TenantClosed', data: { at: dueAt } };
const approval = { by: 'bob', suspended: false, at };

describe('the closing of a tenant', () => {
  it('is proposed once, and again after it was cancelled', () => {
    given(closing, []).when(proposeClosing, order).then(proposed);
    given(closing, [proposed]).when(proposeClosing, order).thenRejected({ code: 'CLOSING_EXISTS' });
    given(closing, [proposed, cancelled]).when(proposeClosing, order).then(proposed);
  });

  it('is approved by another operator, once, and then has its notice period', () => {
    given(closing, []).when(approveClosing, approval).thenRejected({ code: 'CLOSING_NOT_PROPOSED' });
    given(closing, [proposed])
      .when(approveClosing, { ...approval, by: 'ada' })
      .thenRejected({ code: 'SECOND_OPERATOR_NEEDED' });
    given(closing, [proposed]).when(approveClosing, approval).then(approved);
    given(closing, [proposed, approved])
      .when(approveClosing, { ...approval, by: 'carol' })
      .then();
  });

  it('can be cancelled until it has begun', () => {
    const command = { by: 'ada', at };
    given(closing, []).when(cancelClosing, command).thenRejected({ code: 'CLOSING_NOT_PROPOSED' });
    given(closing, [proposed]).when(cancelClosing, command).then(cancelled);
    given(closing, [proposed, approved]).when(cancelClosing, command).then(cancelled);
    given(closing, [proposed, approved, begun])
      .when(cancelClosing, command)
      .thenRejected({ code: 'CLOSING_BEGUN' });
  });

  it('begins only at the end of the notice period, and only if it was approved', () => {
    given(closing, [proposed]).when(beginClosing, { at: dueAt }).then();
    given(closing, [proposed, approved]).when(beginClosing, { at: '2026-07-01T11:59:59.999Z' }).then();
    given(closing, [proposed, approved]).when(beginClosing, { at: dueAt }).then(begun);
    given(closing, [proposed, approved, cancelled]).when(beginClosing, { at: dueAt }).then();
    given(closing, [proposed, approved, begun]).when(beginClosing, { at: dueAt }).then();
  });

  it('ends once, after it has begun', () => {
    given(closing, [proposed, approved]).when(completeClosing, { at: dueAt }).then();
    given(closing, [proposed, approved, begun]).when(completeClosing, { at: dueAt }).then(closed);
    given(closing, [proposed, approved, begun, closed]).when(completeClosing, { at: dueAt }).then();
  });
});
