import { describe, expect, it } from 'vitest';
import { foldRow } from '#read-store/read-model.js';
import { at, debited, inStream, queued, refunded, rejected, settled } from '../testing/stories.js';
import { requestIdOfCharge } from '#domain/account/account.events.js';
import { usageReadModel } from './usage.read-model.js';

const fold = (...events: Parameters<typeof inStream>[2]) =>
  foldRow(usageReadModel, inStream('account', 'acme', events));

const pending = {
  requestId: 'R',
  tenant: 'acme',
  endpoint: '/v1/model-generator',
  method: 'POST',
  status: 'PENDING',
  httpStatus: 202,
  creditsCharged: 5,
  creditsRefunded: 0,
  jobId: 'job-of-R',
  createdAt: new Date(at(0)),
  submittedAt: null,
  resolvedAt: null,
  latencyMs: null,
  errorCode: null,
  errorMessage: null,
};

describe('the usage row of a request', () => {
  it('is pending once it is charged', () => {
    expect(fold(debited('R', 5))).toMatchObject(pending);
  });

  it('notes when the job was queued', () => {
    const events = [
      ...inStream('account', 'acme', [debited('R', 5)]),
      ...inStream('job', 'J', [queued('J', 'acme', { requestId: 'R', at: at(1) })]),
    ];
    expect(foldRow(usageReadModel, events)).toMatchObject({ ...pending, submittedAt: new Date(at(1)) });
  });

  it('is not made by a job that nothing was charged for', () => {
    expect(foldRow(usageReadModel, inStream('job', 'J', [queued('J', 'acme')]))).toBeUndefined();
  });

  it('succeeds when its charge is settled', () => {
    const resolved = { status: 'SUCCESS', resolvedAt: new Date(at(5)), latencyMs: 5_000 };
    expect(fold(debited('R', 5), settled('R', 5))).toMatchObject({ ...pending, ...resolved });
  });

  it('is refunded when its charge is, with the amount', () => {
    const resolved = {
      status: 'REFUNDED',
      creditsRefunded: 5,
      resolvedAt: new Date(at(5)),
      latencyMs: 5_000,
    };
    expect(fold(debited('R', 5), refunded('R', 5))).toMatchObject({ ...pending, ...resolved });
  });

  it('sums the charges of a batch and resolves with the last of them', () => {
    const batch = [debited('R.0', 4), debited('R.1', 4), debited('R.2', 4)];
    expect(fold(...batch)).toMatchObject({ status: 'PENDING', creditsCharged: 12, jobId: 'job-of-R.0' });
    expect(fold(...batch, refunded('R.1', 4), settled('R.0', 4))).toMatchObject({
      status: 'PENDING',
      creditsRefunded: 4,
      resolvedAt: null,
    });
    expect(fold(...batch, refunded('R.1', 4), settled('R.0', 4), settled('R.2', 4, 9))).toMatchObject({
      status: 'SUCCESS',
      creditsCharged: 12,
      creditsRefunded: 4,
      latencyMs: 9_000,
    });
    expect(fold(...batch.slice(0, 2), refunded('R.1', 4), refunded('R.0', 4))).toMatchObject({
      status: 'REFUNDED',
      creditsRefunded: 8,
    });
  });

  it('names the job that the request was answered with', () => {
    const charge = debited('R.0', 4);
    const ofBatch = { ...charge, data: { ...charge.data, parentJobId: 'parent' } };
    expect(fold(ofBatch, debited('R.1', 4))).toMatchObject({ jobId: 'parent', creditsCharged: 8 });
  });

  it('says why a request was refused', () => {
    expect(foldRow(usageReadModel, inStream('usage', 'acme', [rejected('R')]))).toMatchObject({
      requestId: 'R',
      tenant: 'acme',
      status: 'FAILED',
      httpStatus: 402,
      creditsCharged: 0,
      jobId: null,
      latencyMs: 3,
      errorCode: 'INSUFFICIENT_BALANCE',
      errorMessage: 'The balance is too low.',
    });
  });

  it('is found from any of its charges', () => {
    expect(requestIdOfCharge('01JWZ0000000000000000000R1')).toBe('01JWZ0000000000000000000R1');
    expect(requestIdOfCharge('01JWZ0000000000000000000R1.7')).toBe('01JWZ0000000000000000000R1');
  });
});
