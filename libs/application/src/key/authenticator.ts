import { Inject, Injectable } from '@nestjs/common';
import { timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { streamName, type Environment } from '#domain/streams.js';
import { EventStore } from '#event-store/event-store.js';
import { entriesUpTo } from '#platform/cache-size.js';
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

/** Keys that are remembered; who cycles through more of them than that reads each from its stream again. */
const knownKeys = 20_000;

/**
 * Tells whom a key speaks for. It asks the key's own stream, so a key works the moment it is issued and keeps
 * working while read models are rebuilt. What it has learned it remembers, until it hears otherwise or, should it be
 * cut off from the store, for a minute at most. A key that retires does so by the clock, remembered or not.
 */
@Injectable()
export class Authenticator implements Listener {
  readonly category = 'key';
  readonly types = ['ApiKeyRevoked', 'ApiKeyRetired'] as const;

  /** By the whole key's hash, so that the cache holds no secret; or by its name. */
  private readonly callers = new LRUCache<string, KnownKey>({ ...entriesUpTo(knownKeys), ttl: 60_000 });
  /** Hashes of keys that were good when they were last looked up: a request with one of them is no guess. */
  private readonly proven = new LRUCache<string, string>(entriesUpTo(knownKeys));
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
    const known = this.callers.get(hash) ?? (await this.lookUp(parts, hash, hash));
    if (known === undefined || this.hasRetired(known)) {
      this.proven.delete(hash);
      return undefined;
    }
    return known.caller;
  }

  /** Whom a key speaks for that was proven otherwise; undefined once it is revoked or retired. */
  async callerOf(environment: Environment, keyId: string): Promise<Caller | undefined> {
    const slot = `${environment} ${keyId}`;
    const known = this.callers.get(slot) ?? (await this.lookUp({ environment, keyId }, slot));
    return known === undefined || this.hasRetired(known) ? undefined : known.caller;
  }

  /** Forgets a key whose stream says something new. */
  hear({ id }: Announcement): void {
    this.heard += 1;
    for (const [hash, { caller }] of this.callers.entries()) {
      if (caller.keyId === id) this.callers.delete(hash);
    }
  }

  /** @param slot under which it is remembered: the key's hash, or its name where the key itself is not at hand */
  private async lookUp(
    { environment, keyId }: NonNullable<ReturnType<typeof parseApiKey>>,
    slot: string,
    hash?: string,
  ): Promise<KnownKey | undefined> {
    const heard = this.heard;
    const { state } = await load(this.store, streamName(environment, 'key', keyId), keyAggregate);
    if (state.status !== 'active') return undefined;
    if (hash !== undefined && !sameHash(state.key.secretHash, hash)) return undefined;
    const { tenant, capabilities, requiresSignature = false } = state.key;
    const found: KnownKey = {
      caller: { environment, tenant, keyId, capabilities, requiresSignature },
      retiresAt: state.retiresAt === undefined ? undefined : Date.parse(state.retiresAt),
    };
    if (heard === this.heard) this.callers.set(slot, found);
    if (hash !== undefined) this.proven.set(hash, keyId);
    return found;
  }

  private hasRetired({ retiresAt }: KnownKey): boolean {
    return retiresAt !== undefined && this.clock().getTime() >= retiresAt;
  }
}

/** Takes the same time wherever they differ. */
export function sameHash(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
