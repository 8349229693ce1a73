import { timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { categoryPrefix, environments, parseStreamName, streamName } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import { load } from '../aggregate.js';
import type { Caller } from '../caller.js';
import { hashApiKey, parseApiKey } from './api-key.js';
import { keyAggregate } from './api-keys.js';

/**
 * Tells whom a key speaks for. It asks the key's own stream, so a key works the moment it is issued and keeps
 * working while read models are rebuilt. What it has learned it remembers, until {@link watchRevocations} hears
 * otherwise or, should that be cut off from the store, for a minute at most.
 */
export class Authenticator {
  /** By the whole key's hash, so that the cache holds no secret. */
  readonly #callers = new LRUCache<string, Caller>({ max: 10_000, ttl: 60_000 });
  /** Counts revocations seen, so that a lookup that was under way meanwhile is not remembered. */
  #revocations = 0;

  constructor(private readonly store: EventStore) {}

  /** The caller, or undefined for every kind of bad key alike. @throws EventStoreUnavailable */
  async authenticate(key: string): Promise<Caller | undefined> {
    const parts = parseApiKey(key);
    if (!parts) return undefined;
    const hash = hashApiKey(key);
    const remembered = this.#callers.get(hash);
    if (remembered) return remembered;

    const revocations = this.#revocations;
    const stream = streamName(parts.environment, 'key', parts.keyId);
    const { state } = await load(this.store, stream, keyAggregate);
    if (state.status !== 'active' || !sameHash(state.key.secretHash, hash)) return undefined;
    const { tenant, keyId, capabilities, environment } = state.key;
    const caller: Caller = { environment, tenant, keyId, capabilities };
    if (revocations === this.#revocations) this.#callers.set(hash, caller);
    return caller;
  }

  /** Forgets keys as they are revoked, in whichever process that happens. Runs until `signal` aborts. */
  async watchRevocations(signal: AbortSignal): Promise<void> {
    const after = await this.store.head();
    const filter = {
      types: ['ApiKeyRevoked'],
      streamPrefixes: environments.map((environment) => categoryPrefix(environment, 'key')),
    };
    const from = after === undefined ? {} : { after };
    for await (const { events } of this.store.subscribe({ ...from, filter, signal })) {
      for (const { stream } of events) this.#forget(parseStreamName(stream)?.id);
    }
  }

  #forget(keyId: string | undefined): void {
    this.#revocations += 1;
    for (const [hash, caller] of this.#callers.entries()) {
      if (caller.keyId === keyId) this.#callers.delete(hash);
    }
  }
}

function sameHash(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
