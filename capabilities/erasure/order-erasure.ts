import { Injectable } from '@nestjs/common';
import { EventStoreUnavailable } from '#event-store/event-store.js';
import type { CommandContext } from '#application/command-context.js';
import type { LegalHold } from './keeping/legal-hold.js';
import { HoldsInForce } from './keeping/holds-in-force.js';
import { requestErasure, type RequestedErasure } from './erasure.js';
import { Extents, type Extent } from './extent.js';
import { Erasures } from './manage-erasures.handler.js';
import { ReachedReads, readModelsOfExtent } from './reached-reads.js';

/** How long an order waits for the read models. */
const patienceMs = 5_000;

export type OrderedErasure = Omit<RequestedErasure, 'tenant' | 'again' | 'at'>;

/** `held`: a hold covers something that it would erase, so nothing is ordered. */
export type ErasureOrder =
  | { readonly kind: 'ordered'; readonly position: bigint | undefined }
  | { readonly kind: 'held'; readonly hold: LegalHold };

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
    const hold = await this.holds.covering(context, () => this.extentNow(context, ordered), persons);
    if (hold) return { kind: 'held', hold };
    const request = { ...ordered, tenant: context.tenant, again: false, at: context.at.toISOString() };
    const position = await this.erasures.write(context, ordered.erasureId, (state) =>
      requestErasure(request, state),
    );
    return { kind: 'ordered', position };
  }

  /** A hold also covers what was made a moment ago, and the erasure would reach it. Only a tenant with holds waits for that. */
  private async extentNow(context: CommandContext, ordered: OrderedErasure): Promise<Extent> {
    if (!(await this.reached.areShown(context.environment, readModelsOfExtent, patienceMs)))
      throw new EventStoreUnavailable(
        'The newest jobs are not shown yet, and a hold may cover them. Nothing was erased',
      );
    return this.extents.of(context, ordered);
  }
}
