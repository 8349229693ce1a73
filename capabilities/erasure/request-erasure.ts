import { Injectable } from '@nestjs/common';
import { callerContext, type Caller } from '#application/command-context.js';
import { hashBody, IdempotencyStore } from '#application/dispatch/idempotency.js';
import { newId } from '#platform/ids.js';
import type { ErasureTarget } from './erasure.events.js';
import { HoldsInForce } from './keeping/holds-in-force.js';
import { Extents, sizeOf } from './extent.js';
import { ErasureOrders, type ErasureOrder } from './order-erasure.js';

export interface AskedErasure {
  readonly caller: Caller;
  /** Empty: nothing belongs to the person. */
  readonly targets: readonly ErasureTarget[];
  readonly derived: boolean;
  /** The person of whom everything is erased. */
  readonly person?: string | undefined;
  /** What the request names. A repeat with its Idempotency-Key names the same, though a person may have more things by then. */
  readonly asks: object;
  readonly requestId: string;
  readonly at: Date;
}

export type ErasureAnswer =
  | {
      readonly kind: 'requested';
      readonly erasureId: string;
      /** Undefined: an earlier request with the same key wrote it. */
      readonly position: bigint | undefined;
      readonly replayed: boolean;
    }
  | { readonly kind: 'unknown'; readonly what: string }
  | Exclude<ErasureOrder, { kind: 'ordered' }>
  | { readonly kind: 'key-in-use' | 'key-reused' };

/** Requests erasures for callers, who may repeat their requests. */
@Injectable()
export class ErasureRequests {
  constructor(
    private readonly extents: Extents,
    private readonly orders: ErasureOrders,
    private readonly holds: HoldsInForce,
    private readonly idempotency: IdempotencyStore,
  ) {}

  /** The size of the erasure as things are now, unless it would be refused. */
  async estimate({
    caller,
    targets,
    derived,
    person,
  }: Pick<AskedErasure, 'caller' | 'targets' | 'derived' | 'person'>) {
    const missing = await this.extents.missing(caller, targets);
    if (missing) return { kind: 'unknown', what: missing.kind } as const;
    const extent = await this.extents.of(caller, { targets, derived });
    const hold = await this.holds.covering(caller, () => Promise.resolve(extent), personsOf(person));
    if (hold) return { kind: 'held', hold } as const;
    const unfinished = [...extent.jobs.values()].filter(({ isUnfinished }) => isUnfinished);
    return { kind: 'estimated', size: { ...sizeOf(extent), unfinished_jobs: unfinished.length } } as const;
  }

  /** @param endpoint of the request, for its Idempotency-Key */
  async request(asked: AskedErasure, endpoint: string, key: string | undefined): Promise<ErasureAnswer> {
    const { caller, targets, derived, asks, requestId } = asked;
    const missing = await this.extents.missing(caller, targets);
    if (missing) return { kind: 'unknown', what: missing.kind };
    const nobody = { kind: 'unknown', what: 'data subject' } as const;
    if (key === undefined && targets.length === 0) return nobody;
    if (key === undefined) return this.order(asked, newId());
    const { environment, tenant } = caller;
    const bodyHash = hashBody({ ...asks, derived });
    const begun = await this.idempotency.begin(
      { environment, tenant, endpoint, key, bodyHash },
      { requestId, jobId: newId() },
    );
    if (begun.kind === 'in-use') return { kind: 'key-in-use' };
    if (begun.kind === 'reused') return { kind: 'key-reused' };
    if (begun.kind === 'answered') {
      // The answer was written below.
      const { erasureId } = begun.answer as { erasureId: string };
      return { kind: 'requested', erasureId, position: undefined, replayed: true };
    }
    try {
      if (targets.length === 0) {
        await this.idempotency.release(begun.lease);
        return nobody;
      }
      // A try that died after it had written its request goes on with the same id.
      const ordered = await this.order(asked, begun.ids.jobId);
      if (ordered.kind === 'requested')
        await this.idempotency.answer(begun.lease, { erasureId: ordered.erasureId });
      else await this.idempotency.release(begun.lease);
      return ordered;
    } catch (error) {
      await this.idempotency.release(begun.lease).catch(() => undefined);
      throw error;
    }
  }

  private async order(
    { caller, targets, derived, person, requestId, at }: AskedErasure,
    erasureId: string,
  ): Promise<ErasureAnswer> {
    const context = callerContext(caller, `erasure:${erasureId}:requested`, requestId, at);
    const request = { erasureId, targets: [...targets], derived, by: context.actor };
    const order = await this.orders.order(context, request, personsOf(person));
    if (order.kind !== 'ordered') return order;
    return { kind: 'requested', erasureId, position: order.position, replayed: false };
  }
}

const personsOf = (person: string | undefined): string[] => (person === undefined ? [] : [person]);
