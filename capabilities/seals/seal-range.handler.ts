import { randomUUID } from 'node:crypto';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { EventStore, type NewEvent } from '#event-store/event-store.js';
import { rangeSealed, sealStream } from './seal.events.js';
import { sealOf, type ChainEnd, type SealedRange, type StoredSeal } from './seal.js';
import { eventId, newId } from '#platform/ids.js';
import type { SealKey } from './seal.key.js';
import { installation } from '#application/command-context.js';

/** The chain with the new seal, or `overtaken` if another process has written to the chain meanwhile. */
export type SealedOrOvertaken =
  | { readonly kind: 'sealed'; readonly end: ChainEnd & { readonly seal: StoredSeal } }
  | { readonly kind: 'overtaken' };

/** Seals a range that begins where the known chain ends. */
export class SealRange extends Command<SealedOrOvertaken> {
  constructor(
    readonly range: SealedRange,
    readonly end: ChainEnd,
    readonly key: SealKey,
    readonly at: Date,
  ) {
    super();
  }
}

/** The expected revision keeps two processes from continuing the chain in two ways. */
@CommandHandler(SealRange)
export class SealRangeHandler implements ICommandHandler<SealRange> {
  constructor(private readonly store: EventStore) {}

  async execute({ range, end, key, at }: SealRange): Promise<SealedOrOvertaken> {
    const seal = sealOf(range, end, { key, chain: randomUUID(), at });
    const requestId = newId();
    const event: NewEvent = {
      // Only the same seal has this id. So a repetition is recognised, and a rival's seal is not mistaken for
      // ours.
      id: eventId(seal.signature, 0),
      type: rangeSealed,
      data: seal,
      metadata: {
        requestId,
        causationId: range.last.id,
        tenant: installation,
        actor: 'saga:sealer',
        schemaVersion: 1,
        recordedAt: at.toISOString(),
      },
    };
    const appended = await this.store.append(sealStream, end.revision, [event]);
    if (appended.outcome !== 'appended') return { kind: 'overtaken' };
    return { kind: 'sealed', end: { revision: appended.revision, seal, source: undefined } };
  }
}
