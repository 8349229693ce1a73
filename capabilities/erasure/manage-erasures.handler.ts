import { Injectable } from '@nestjs/common';
import type { Decision } from '#domain/decision.js';
import { streamName, type Environment } from '#domain/streams.js';
import { EventStore } from '#event-store/event-store.js';
import { handle, load } from '#application/aggregate.js';
import type { CommandContext } from '#application/command-context.js';
import type { ErasureEvent } from './erasure.events.js';
import { evolveErasure, initialErasure, type BegunErasure, type Erasure } from './erasure.js';

const erasureAggregate = { initial: initialErasure, evolve: evolveErasure };

/** The streams of erasures. */
@Injectable()
export class Erasures {
  constructor(private readonly store: EventStore) {}

  /** Undefined if it is unknown, or another tenant's. */
  async find(
    { environment, tenant }: { readonly environment: Environment; readonly tenant: string },
    erasureId: string,
  ): Promise<BegunErasure | undefined> {
    const erasure = await this.ofAnyTenant(environment, erasureId);
    return erasure?.request.tenant === tenant ? erasure : undefined;
  }

  async ofAnyTenant(environment: Environment, erasureId: string): Promise<BegunErasure | undefined> {
    const { state } = await load(this.store, streamName(environment, 'erasure', erasureId), erasureAggregate);
    return state.status === 'unrequested' ? undefined : state;
  }

  /** Where it was ordered. Undefined: this log does not know it. */
  async orderOf(
    environment: Environment,
    erasureId: string,
  ): Promise<{ readonly position: bigint; readonly again: boolean } | undefined> {
    const slice = await this.store.readStream(streamName(environment, 'erasure', erasureId), { limit: 1 });
    const [first] = slice.kind === 'found' ? slice.events : [];
    return first && { position: first.position, again: (first.data as { again?: boolean }).again === true };
  }

  /** @returns the position of its last event @throws what the store throws */
  async write(
    context: CommandContext,
    erasureId: string,
    decide: (state: Erasure) => Decision<ErasureEvent, { readonly code: string }>,
  ): Promise<bigint | undefined> {
    const stream = streamName(context.environment, 'erasure', erasureId);
    const written = await handle(this.store, stream, erasureAggregate, decide, context);
    if (written.kind === 'rejected') throw new Error(`erasure ${erasureId}: ${written.rejection.code}`);
    return written.position;
  }
}
