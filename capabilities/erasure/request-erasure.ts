import { Injectable } from '@nestjs/common';
import { callerContext, type Caller } from '#application/command-context.js';
import { hashBody, IdempotencyStore } from '#application/dispatch/idempotency.js';
import { newId } from '#platform/ids.js';
import type { ErasureTarget } from './erasure.events.js';
import { Extents } from './extent.js';
import { Erasures } from './manage-erasures.handler.js';

export interface AskedErasure {
  readonly caller: Caller;
  /** Empty: nothing belongs to the person. */
  readonly targets: readonly ErasureTarget[];
  readonly derived: boolean;
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
  | { readonly kind: 'key-in-use' | 'key-reused' };

/** Requests erasures for callers. The event is the order, and the process manager carries it out. */
@Injectable()
export class ErasureRequests {
  constructor(
    private readonly extents: Extents,
    private readonly erasures: Erasures,
    private readonly idempotency: IdempotencyStore,
  ) {}

  /** The size of the erasure as things are now; undefined: a target is unknown, or another tenant's. */
  estimate({ caller, ...asked }: Pick<AskedErasure, 'caller' | 'targets' | 'derived'>) {
    return this.extents.estimate(caller, asked);
  }

  /** @param endpoint of the request, for its Idempotency-Key */
  async request(asked: AskedErasure, endpoint: string, key: string | undefined): Promise<ErasureAnswer> {
    const { caller, targets, derived, asks, requestId } = asked;
    const missing = await this.extents.missing(caller, targets);
    if (missing) return { kind: 'unknown', what: missing.kind };
    const nobody = { kind: 'unknown', what: 'data subject' } as const;
    if (key === undefined && targets.length === 0) return nobody;
    if (key === undefined)
      return { kind: 'requested', ...(await this.write(asked, newId())), replayed: false };
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
      const written = await this.write(asked, begun.ids.jobId);
      await this.idempotency.answer(begun.lease, { erasureId: written.erasureId });
      return { kind: 'requested', ...written, replayed: false };
    } catch (error) {
      await this.idempotency.release(begun.lease).catch(() => undefined);
      throw error;
    }
  }

  private async write({ caller, targets, derived, requestId, at }: AskedErasure, erasureId: string) {
    const context = callerContext(caller, erasureId, requestId, at);
    return { erasureId, position: await this.erasures.request(context, erasureId, { targets, derived }) };
  }
}
