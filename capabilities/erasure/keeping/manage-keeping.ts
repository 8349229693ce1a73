import { load, type Aggregate } from '#application/aggregate.js';
import { StreamCommand } from '#application/stream-command.handler.js';
import { streamName, type Environment } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import { holdsAggregate } from './holds-in-force.js';
import type { LegalHoldEvent, OwnDays, RetentionEvent } from '../keeping.events.js';
import { liftHold, placeHold, type LegalHold, type LegalHolds } from './legal-hold.js';
import {
  changeRetention,
  evolveRetention,
  initialOwnDays,
  type KeptDays,
  type TooLong,
} from './retention.js';

const retentionAggregate: Aggregate<OwnDays, RetentionEvent> = {
  initial: initialOwnDays,
  evolve: evolveRetention,
};

/** Changes the rule of a tenant, which is the command's id. */
export class ChangeRetention extends StreamCommand<
  { readonly days: Readonly<Partial<OwnDays>>; readonly most: KeptDays },
  OwnDays,
  RetentionEvent,
  TooLong
> {
  readonly aggregate = retentionAggregate;

  get stream(): string {
    return streamName(this.context.environment, 'retention', this.id);
  }

  decide(rule: OwnDays, at: string) {
    return changeRetention({ ...this.data, at }, rule);
  }
}

/** The rule of the tenant, from its own stream. */
export async function retentionOf(
  store: EventStore,
  environment: Environment,
  tenant: string,
): Promise<OwnDays> {
  return (await load(store, streamName(environment, 'retention', tenant), retentionAggregate)).state;
}

abstract class HoldWrite<Data, Rejection> extends StreamCommand<Data, LegalHolds, LegalHoldEvent, Rejection> {
  readonly aggregate = holdsAggregate;

  get stream(): string {
    return streamName(this.context.environment, 'hold', this.id);
  }
}

/** Places a hold on a job or a person of a tenant, which is the command's id. */
export class PlaceHold extends HoldWrite<Omit<LegalHold, 'at'>, never> {
  decide(holds: LegalHolds, at: string) {
    return placeHold({ ...this.data, at }, holds);
  }
}

/** Lifts a hold of a tenant, which is the command's id. */
export class LiftHold extends HoldWrite<
  { readonly holdId: string; readonly reason: string },
  { readonly code: 'HOLD_NOT_FOUND' }
> {
  decide(holds: LegalHolds, at: string) {
    return liftHold({ ...this.data, at }, holds);
  }
}
