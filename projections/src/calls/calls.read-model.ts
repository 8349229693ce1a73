import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { EngineOutcome } from '#domain/job/job.events.js';
import type { ProjectedEvent } from '#read-store/projected-event.js';
import type { ReadModel } from '#read-store/read-model.js';

/** One call of a vendor's image model, and what it cost. For operators: no caller ever sees it. */
@Entity('calls')
@Index('calls_by_time', ['calledAt'])
@Index('calls_by_vendor_request', ['vendorRequestId'], { where: 'vendor_request_id IS NOT NULL' })
@Index('calls_by_answer', ['answeredAt'], { where: 'kept > 0' })
export class CallRow {
  @PrimaryColumn({ type: 'text' })
  jobId: string;

  /** Unique in the job, as `try_on.1`. */
  @PrimaryColumn({ type: 'text' })
  call: string;

  @Column({ type: 'text' })
  tenant: string;

  @Column({ type: 'text' })
  operation: string;

  /** The id of the image model. */
  @Column({ type: 'text' })
  model: string;

  /** The family of its engine. */
  @Column({ type: 'text' })
  vendor: string;

  @Column({ type: 'integer' })
  attempt: number;

  @Column({ type: 'timestamptz' })
  calledAt: Date;

  @Column({ type: 'text', nullable: true })
  vendorRequestId: string | null;

  // The rest is null while the call is open.
  @Column({ type: 'text', nullable: true })
  outcome: EngineOutcome | null;

  @Column({ type: 'integer', nullable: true })
  latencyMs: number | null;

  /** The number of paid units: pictures or readings. */
  @Column({ type: 'integer', nullable: true })
  units: number | null;

  /** In millionths of `currency`: sums of them are exact. */
  @Column({ type: 'integer', nullable: true })
  priceMicros: number | null;

  @Column({ type: 'text', nullable: true })
  currency: string | null;

  /** Pictures of the answer that are kept for another worker. */
  @Column({ type: 'integer', nullable: true })
  kept: number | null;

  @Column({ type: 'timestamptz', nullable: true })
  answeredAt: Date | null;
}

export const callsReadModel: ReadModel<CallRow> = {
  name: 'calls',
  version: 1,
  entity: CallRow,
  categories: ['job'],
  keysOf: (event) => (concerns(event) ? [[event.streamId, event.data.call]] : []),
  evolve,
};

type CallEvent = Extract<ProjectedEvent, { type: 'EngineCalled' | 'EngineSubmitted' | 'EngineAnswered' }>;

function concerns(event: ProjectedEvent): event is CallEvent {
  return event.type === 'EngineCalled' || event.type === 'EngineSubmitted' || event.type === 'EngineAnswered';
}

function evolve(row: CallRow | undefined, event: ProjectedEvent): CallRow | undefined {
  if (event.type === 'EngineCalled') return called(event);
  if (!row) throw new Error(`${event.type} came before EngineCalled in ${event.stream}`);
  switch (event.type) {
    case 'EngineSubmitted':
      return { ...row, vendorRequestId: event.data.vendorRequestId };
    case 'EngineAnswered': {
      const { outcome, latencyMs, units, price, currency, vendorRequestId, at } = event.data;
      const kept = event.data.kept?.pictures.length ?? 0;
      const cost = { units, priceMicros: Math.round(price * 1_000_000), currency };
      const named = { vendorRequestId: vendorRequestId ?? row.vendorRequestId };
      return { ...row, ...named, outcome, latencyMs, ...cost, kept, answeredAt: new Date(at) };
    }
    default:
      throw new Error(`${event.type} does not belong among the calls`);
  }
}

function called({ data, streamId }: Extract<ProjectedEvent, { type: 'EngineCalled' }>): CallRow {
  const { call, tenant, operation, model, vendor, attempt, at } = data;
  return {
    jobId: streamId,
    call,
    tenant,
    operation,
    model,
    vendor,
    attempt,
    calledAt: new Date(at),
    vendorRequestId: null,
    outcome: null,
    latencyMs: null,
    units: null,
    priceMicros: null,
    currency: null,
    kept: null,
    answeredAt: null,
  };
}
