import { describe, expect, it } from 'vitest';
import { foldRow } from '#read-store/read-model.js';
import { at, debited, inStream, purchased, refunded, settled } from '../testing/stories.js';
import { ledgerReadModel } from './ledger.read-model.js';

const fold = (...events: Parameters<typeof inStream>[2]) =>
  foldRow(ledgerReadModel, inStream('account', 'acme', events));

const open = {
  id: 'R',
  tenant: 'acme',
  kind: 'operation',
  label: '/v1/model-generator',
  amount: 5,
  creditsDelta: -5,
  status: 'PENDING',
  jobId: 'job-of-R',
  createdAt: new Date(at(0)),
  resolvedAt: null,
  revision: 0,
};

describe('an entry of the ledger', () => {
  it('is positive for a purchase', () => {
    expect(fold(purchased(100))).toEqual({
      ...open,
      id: 'pack-0',
      kind: 'pack',
      label: 'Starter pack',
      amount: 100,
      creditsDelta: 100,
      status: 'PURCHASED',
      jobId: null,
    });
  });

  it('is negative and pending for a charge', () => {
    expect(fold(debited('R', 5))).toEqual(open);
  });

  it('keeps what was charged when it is settled', () => {
    expect(fold(debited('R', 5), settled('R', 5))).toEqual({
      ...open,
      status: 'SUCCESS',
      resolvedAt: new Date(at(5)),
    });
  });

  it('comes to nothing when it is refunded', () => {
    expect(fold(debited('R', 5), refunded('R', 5))).toEqual({
      ...open,
      creditsDelta: 0,
      status: 'REFUNDED',
      resolvedAt: new Date(at(5)),
    });
  });

  it('refuses to close what was never charged', () => {
    expect(() => fold(settled('R', 5))).toThrow('never debited');
  });
});
