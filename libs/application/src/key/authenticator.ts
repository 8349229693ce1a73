import { Inject, Injectable } from '@nestjs/common';
import { timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { streamName } from '#domain/streams.js';
import { EventStore } from '#event-store/event-store.js';
import { Clock } from '#platform/clock.js';
import { load } from '../aggregate.js';
import type { Announcement, Listener } from '../announcements.js';
import type { Caller } from '../command-context.js';
import { hashApiKey, parseApiKey } from './api-key.js';
import { keyAggregate } from './manage-keys.handler.js';

interface KnownKey {
  readonly caller: Caller;
  /** Milliseconds since 1970; undefined: the key does not retire. */
  readonly retiresAt: number | undefined;
}

/**
 * Tells whom a key speaks for. It asks the key's own stream, so a key works the moment it is issued and keeps
 * working while read models are rebuilt. What it has learned it remembers, until it hears otherwise or, should it be
 * cut off from the store, for a minute at most. A key that retires does so by the clock, remembered or not.
 */
@Injectable()
export class Authenticator implements Listener {
  readonly category = 'key';
  readonly types = ['ApiKeyRevoked', 'ApiKeyRetired'] as const;

  /** By the whole key's hash, so that the cache holds no secret. */
  private readonly callers = new LRUCache<string, KnownKey>({ max: 10_000, ttl: 60_000 });
  /** Hashes of keys that were good when they were last looked up: a request with one of them is no guess. */
  private readonly proven = new LRUCache<string, string>({ max: 10_000 });
  /** Counts what was heard, so that a look-up that was under way meanwhile is not remembered. */
  private heard = 0;

  constructor(
    private readonly store: EventStore,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** Whether the key was good when it was last looked up. Reads nothing. */
  recognises(key: string): boolean {
    return parseApiKey(key) !== undefined && this.proven.has(hashApiKey(key));
  }

  /** The caller, or undefined for every kind of bad key alike. @throws EventStoreUnavailable */
  async authenticate(key: string): Promise<Caller | undefined> {
    const parts = parseApiKey(key);
    if (!parts) return undefined;
    const hash = hashApiKey(key);
    const known = this.callers.get(hash) ?? (await this.lookUp(parts, hash));
    if (known === undefined || this.hasRetired(known)) {
      this.proven.delete(hash);
      return undefined;
    }
    return known.caller;
  }

  /** Forgets a key whose stream says something new. */
  hear({ id }: Announcement): void {
    this.heard += 1;
    for (const [hash, { caller }] of this.callers.entries()) {
      if (caller.keyId === id) this.callers.delete(hash);
    }
  }

  private async lookUp(
    { environment, keyId }: NonNullable<ReturnType<typeof parseApiKey>>,
    hash: string,
  ): Promise<KnownKey | undefined> {
    const heard = this.heard;
    const { state } = await load(this.store, streamName(environment, 'key', keyId), keyAggregate);
    if (state.status !== 'active' || !sameHash(state.key.secretHash, hash)) return undefined;
    const { tenant, capabilities, requiresSignature = false } = state.key;
    const found: KnownKey = {
      caller: { environment, tenant, keyId, capabilities, requiresSignature },
      retiresAt: state.retiresAt === undefined ? undefined : Date.parse(state.retiresAt),
    };
    if (heard === this.heard) this.callers.set(hash, found);
    this.proven.set(hash, keyId);
    return found;
  }

  private hasRetired({ retiresAt }: KnownKey): boolean {
    return retiresAt !== undefined && this.clock().getTime() >= retiresAt;
  }
}

function sameHash(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
