import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { requestIdOfCharge } from '#domain/account/account.events.js';
import type { ProjectedEvent } from '#read-store/projected-event.js';
import type { ReadModel } from '#read-store/read-model.js';
import { freeCall, isFreeCall, type FreeCallEvent } from './free-calls.js';

export type UsageStatus = 'PENDING' | 'SUCCESS' | 'FAILED' | 'REFUNDED';

/**
 * One call: a dispatch, accepted or refused, or a free write that has left an event. A batch of several charges
 * is one row with their sums.
 */
@Entity('usage')
@Index('usage_by_tenant', ['tenant', 'createdAt', 'requestId'])
export class UsageRow {
  @PrimaryColumn({ type: 'text' })
  requestId: string;

  @Column({ type: 'text' })
  tenant: string;

  @Column({ type: 'text' })
  endpoint: string;

  @Column({ type: 'text' })
  method: string;

  @Column({ type: 'text' })
  status: UsageStatus;

  @Column({ type: 'integer', nullable: true })
  httpStatus: number | null;

  @Column({ type: 'integer' })
  creditsCharged: number;

  @Column({ type: 'integer' })
  creditsRefunded: number;

  /** The job whose id the answer gave; null if there is none. */
  @Column({ type: 'text', nullable: true })
  jobId: string | null;

  @Column({ type: 'timestamptz' })
  createdAt: Date;

  /** When the job was queued. */
  @Column({ type: 'timestamptz', nullable: true })
  submittedAt: Date | null;

  /** When the last of its charges was settled or refunded; without a charge, when the call was answered. */
  @Column({ type: 'timestamptz', nullable: true })
  resolvedAt: Date | null;

  /** From created to resolved; null if it was not measured. */
  @Column({ type: 'integer', nullable: true })
  latencyMs: number | null;

  @Column({ type: 'text', nullable: true })
  errorCode: string | null;

  @Column({ type: 'text', nullable: true })
  errorMessage: string | null;

  /** Charges that are neither settled nor refunded yet. Not shown. */
  @Column({ type: 'integer' })
  openCharges: number;

  /** Charges that were settled. Not shown. */
  @Column({ type: 'integer' })
  settledCharges: number;
}

export const usageReadModel: ReadModel<UsageRow> = {
  name: 'usage',
  version: 1,
  entity: UsageRow,
  categories: ['account', 'job', 'usage', 'asset', 'product'],
  grown: { categories: ['asset', 'product'], has: isFreeCall },
  keysSpanStreams: true,
  keysOf: (event) => {
    const requestId = requestIdOf(event);
    return requestId === undefined ? [] : [[requestId]];
  },
  evolve,
};

function requestIdOf(event: ProjectedEvent): string | undefined {
  switch (event.type) {
    case 'CreditsDebited':
    case 'JobQueued':
    case 'RequestRejected':
      return event.data.requestId;
    case 'CreditsSettled':
    case 'CreditsRefunded':
      return requestIdOfCharge(event.data.chargeId);
    default:
      return isFreeCall(event) ? event.metadata.requestId : undefined;
  }
}

function evolve(row: UsageRow | undefined, event: ProjectedEvent): UsageRow | undefined {
  if (event.type === 'RequestRejected') return rejected(event);
  if (event.type === 'CreditsDebited') return charged(row, event);
  if (event.type === 'JobQueued') return submitted(row, event.data.at);
  if (isFreeCall(event)) return answered(row, event);
  if (!row) throw new Error(`${event.type} came before CreditsDebited of ${requestIdOf(event)}`);
  switch (event.type) {
    case 'CreditsSettled':
      return resolved({ ...row, settledCharges: row.settledCharges + 1 }, event.data.at);
    case 'CreditsRefunded':
      return resolved({ ...row, creditsRefunded: row.creditsRefunded + event.data.amount }, event.data.at);
    default:
      throw new Error(`${event.type} does not belong in the usage log`);
  }
}

function charged(
  row: UsageRow | undefined,
  { data, streamId }: Extract<ProjectedEvent, { type: 'CreditsDebited' }>,
): UsageRow {
  if (row) {
    return {
      ...row,
      status: 'PENDING',
      creditsCharged: row.creditsCharged + data.amount,
      openCharges: row.openCharges + 1,
      resolvedAt: null,
      latencyMs: null,
    };
  }
  return {
    ...blank(data.requestId, streamId, data.endpoint, 'POST', data.at),
    status: 'PENDING',
    httpStatus: 202,
    creditsCharged: data.amount,
    jobId: data.parentJobId ?? data.jobId,
    openCharges: 1,
  };
}

/** The first job of the request counts. A job without a charge has no usage row and creates none. */
function submitted(row: UsageRow | undefined, at: string): UsageRow | undefined {
  return row && { ...row, submittedAt: row.submittedAt ?? new Date(at) };
}

/**
 * One charge fewer is open. The request is resolved with its last charge, and has succeeded if any charge was settled.
 */
function resolved(row: UsageRow, at: string): UsageRow {
  const openCharges = row.openCharges - 1;
  if (openCharges > 0) return { ...row, openCharges };
  const status: UsageStatus = row.settledCharges > 0 ? 'SUCCESS' : 'REFUNDED';
  const resolvedAt = new Date(at);
  const latencyMs = resolvedAt.getTime() - row.createdAt.getTime();
  return { ...row, openCharges, status, resolvedAt, latencyMs };
}

function rejected({ data, streamId }: Extract<ProjectedEvent, { type: 'RequestRejected' }>): UsageRow {
  return {
    ...blank(data.requestId, streamId, data.endpoint, data.method, data.at),
    status: 'FAILED',
    httpStatus: data.httpStatus,
    resolvedAt: new Date(data.at),
    latencyMs: data.latencyMs,
    errorCode: data.errorCode,
    errorMessage: data.errorMessage,
  };
}

/** Several events of one call give the same row in any order. */
function answered(row: UsageRow | undefined, event: FreeCallEvent): UsageRow {
  const { endpoint, method, httpStatus, jobId, isWhole } = freeCall(event);
  if (row && !isWhole) return row;
  const { requestId, tenant } = event.metadata;
  return {
    ...blank(requestId, tenant, endpoint, method, event.data.at),
    status: 'SUCCESS',
    httpStatus,
    jobId,
    resolvedAt: new Date(event.data.at),
  };
}

function blank(
  requestId: string,
  tenant: string,
  endpoint: string,
  method: string,
  at: string,
): Omit<UsageRow, 'status'> {
  return {
    requestId,
    tenant,
    endpoint,
    method,
    httpStatus: null,
    creditsCharged: 0,
    creditsRefunded: 0,
    jobId: null,
    createdAt: new Date(at),
    submittedAt: null,
    resolvedAt: null,
    latencyMs: null,
    errorCode: null,
    errorMessage: null,
    openCharges: 0,
    settledCharges: 0,
  };
}
