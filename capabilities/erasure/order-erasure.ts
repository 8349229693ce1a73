import { Injectable } from '@nestjs/common';
import type { CommandContext } from '#application/command-context.js';
import type { LegalHold } from './keeping/legal-hold.js';
import { HoldsInForce } from './keeping/holds-in-force.js';
import { requestErasure, type RequestedErasure } from './erasure.js';
import { Extents } from './extent.js';
import { Erasures } from './manage-erasures.handler.js';
import { ReachedReads, readModelsOfExtent } from './reached-reads.js';

/** How long an order waits for the read models. */
const patienceMs = 5_000;

export type OrderedErasure = Omit<RequestedErasure, 'tenant' | 'again' | 'at'>;

/**
 * In the last two cases nothing is ordered.
 * - `held`: a hold covers something that it would erase.
 * - `not-shown`: a hold may cover the newest things, and the read models do not show them yet.
 */
export type ErasureOrder =
  | { readonly kind: 'ordered'; readonly position: bigint | undefined }
  | { readonly kind: 'held'; readonly hold: LegalHold }
  | { readonly kind: 'not-shown' };

/** Orders erasures for callers, operators and retention. The event is the order, and the process manager carries it out. */
@Injectable()
export class ErasureOrders {
  constructor(
    private readonly extents: Extents,
    private readonly erasures: Erasures,
    private readonly holds: HoldsInForce,
    private readonly reached: ReachedReads,
  ) {}

  /** Ordering it again with the same id changes nothing. @param persons whose records are among the targets */
  async order(
    context: CommandContext,
    ordered: OrderedErasure,
    persons: readonly string[] = [],
  ): Promise<ErasureOrder> {
    let areShown = true;
    // A hold also covers what was made a moment ago, and the erasure would reach it.
    const extentNow = async () => {
      areShown = await this.reached.areShown(context.environment, readModelsOfExtent, patienceMs);
      return this.extents.of(context, ordered);
    };
    const hold = await this.holds.covering(context, extentNow, persons);
    if (hold) return { kind: 'held', hold };
    if (!areShown) return { kind: 'not-shown' };
    const request = { ...ordered, tenant: context.tenant, again: false, at: context.at.toISOString() };
    const position = await this.erasures.write(context, ordered.erasureId, (state) =>
      requestErasure(request, state),
    );
    return { kind: 'ordered', position };
  }
}
