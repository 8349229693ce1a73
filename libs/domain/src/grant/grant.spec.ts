import { describe, it } from 'vitest';
import { given } from '../../../../test/support/given.js';
import {
  approveGrant,
  declineGrant,
  evolveGrant,
  initialGrant,
  proposeGrant,
  type ProposedGrant,
} from './grant.js';
import type { GrantEvent } from './grant.events.js';

const at = '2026-06-01T12:00:00.000Z';
const grant = { initial: initialGrant, evolve: evolveGrant };
const small: ProposedGrant = {
  grantId: 'g1',
  tenant: 'acme',
  kind: 'pack',
  amount: 50,
  label: 'Invoice',
  reference: 'pay_1',
  by: 'ada',
  needsApproval: false,
  at,
};
const large: ProposedGrant = { ...small, amount: 50_000, needsApproval: true };
const proposed = (data: ProposedGrant): GrantEvent => ({ type: 'GrantProposed', data });
const approved: GrantEvent = { type: 'GrantApproved', data: { by: 'bob', at } };

describe('a grant', () => {
  it('is proposed once, however often it is delivered, and is no other grant', () => {
    given(grant, []).when(proposeGrant, small).then(proposed(small));
    given(grant, [proposed(small)])
      .when(proposeGrant, { ...small, by: 'bob', at: 'later' })
      .then();
    given(grant, [proposed(small)])
      .when(proposeGrant, { ...small, tenant: 'bold' })
      .thenRejected({ code: 'GRANT_DIFFERS', earlier: small });
  });

  it('above the limit is approved by another operator, once', () => {
    given(grant, [proposed(large)])
      .when(approveGrant, { by: 'ada', at })
      .thenRejected({ code: 'SECOND_OPERATOR_NEEDED' });
    given(grant, [proposed(large)])
      .when(approveGrant, { by: 'bob', at })
      .then(approved);
    given(grant, [proposed(large), approved])
      .when(approveGrant, { by: 'carol', at })
      .then();
    given(grant, []).when(approveGrant, { by: 'bob', at }).thenRejected({ code: 'GRANT_NOT_FOUND' });
  });

  it('that is declined stays so, and one that is approved cannot be declined', () => {
    const declined: GrantEvent = { type: 'GrantDeclined', data: { by: 'ada', reason: 'twice', at } };
    given(grant, [proposed(large)])
      .when(declineGrant, { by: 'ada', reason: 'twice', at })
      .then(declined);
    given(grant, [proposed(large), declined])
      .when(approveGrant, { by: 'bob', at })
      .thenRejected({ code: 'GRANT_DECLINED' });
    given(grant, [proposed(large), declined])
      .when(proposeGrant, large)
      .thenRejected({ code: 'GRANT_DECLINED' });
    given(grant, [proposed(small)])
      .when(declineGrant, { by: 'bob', reason: 'twice', at })
      .thenRejected({ code: 'GRANT_APPROVED' });
  });
});
