import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { streamName, type Environment } from '#domain/streams.js';
import { EventStore, EventStoreUnavailable } from '#event-store/event-store.js';
import { StorePresence } from '#event-store/store-presence.js';
import { entriesUpTo } from '#platform/cache-size.js';
import { Clock } from '#platform/clock.js';
import { Configuration } from '#platform/configuration.js';
import { load } from '../aggregate.js';
import { ReadModels } from '../read-models.js';
import type { Announcement, Listener } from '../announcements.js';
import type { Caller } from '../command-context.js';
import { hashApiKey, parseApiKey, sameHash, type ApiKeyParts } from './api-key.js';
import { keyAggregate } from './manage-keys.handler.js';

interface KnownKey {
  /** By `performance.now()`. */
  readonly readAt: number;
  readonly caller: Caller;
  /** Milliseconds since 1970; undefined: the key does not retire. */
  readonly retiresAt: number | undefined;
}

/** How long a key is remembered without a new look-up. */
const rememberedMs = 60_000;

/** Keys that are remembered. With more keys than that in use, each is read from its stream again. */
const knownKeys = 20_000;

/**
 * Finds the caller behind a key. It reads the key's own stream, so a key works as soon as it is issued, and
 * also while read models are rebuilt. A key is remembered until an event changes it; if this process is cut off
 * from the store, for a minute at most. A key that retires does so by the clock, remembered or not.
 *
 * While the store is away, a key that this process has read from its stream stays valid for
 * ATELIER_KEY_GRACE_MS, unless the read model shows that it was revoked. The read model alone lets no caller
 * in: a person who can write tables could make keys.
 */
@Injectable()
export class Authenticator implements Listener {
  readonly category = 'key';
  readonly types = ['ApiKeyRevoked', 'ApiKeyRetired'] as const;

  /** By the hash of the whole key, so that the cache holds no secret; or by environment and key id. */
  private readonly callers = new LRUCache<string, KnownKey>(entriesUpTo(knownKeys));
  /** Hashes of keys that were valid at the last look-up. A request with one of them is not a guess. */
  private readonly proven = new LRUCache<string, string>(entriesUpTo(knownKeys));
  /** Counts announcements. A look-up during which one arrived is not remembered. */
  private heard = 0;

  constructor(
    private readonly store: EventStore,
    @Inject(Clock) private readonly clock: Clock,
    private readonly presence: StorePresence,
    private readonly reads: ReadModels,
    @Inject(Configuration) private readonly configuration: Pick<Configuration, 'keyGraceMs'>,
  ) {}

  /** Whether the key was valid at the last look-up. Reads nothing. */
  recognises(key: string): boolean {
    return parseApiKey(key) !== undefined && this.proven.has(hashApiKey(key));
  }

  /** The caller; undefined for every kind of bad key alike. @throws EventStoreUnavailable */
  async authenticate(key: string): Promise<Caller | undefined> {
    const parts = parseApiKey(key);
    if (!parts) return undefined;
    const hash = hashApiKey(key);
    const known = await this.known(parts, hash, hash);
    if (known === undefined || this.hasRetired(known)) {
      this.proven.delete(hash);
      return undefined;
    }
    return known.caller;
  }

  /** The caller behind a key that was proven by other means; undefined once the key is revoked or retired. */
  async callerOf(environment: Environment, keyId: string): Promise<Caller | undefined> {
    const known = await this.known({ environment, keyId }, `${environment} ${keyId}`);
    return known === undefined || this.hasRetired(known) ? undefined : known.caller;
  }

  hear({ id }: Announcement): void {
    this.heard += 1;
    for (const [hash, { caller }] of this.callers.entries()) {
      if (caller.keyId === id) this.callers.delete(hash);
    }
  }

  /**
   * The remembered key, or the key from its stream. While the stream cannot be read, an older one stays good
   * for the grace.
   */
  private async known(parts: ApiKeyParts, slot: string, hash?: string): Promise<KnownKey | undefined> {
    const remembered = this.callers.get(slot);
    const ageMs = remembered ? performance.now() - remembered.readAt : Infinity;
    if (ageMs < rememberedMs) return remembered;
    const read = await this.presence.soon(() => this.lookUp(parts, slot, hash));
    if (read) return read.value;
    if (ageMs >= this.configuration.keyGraceMs)
      throw new EventStoreUnavailable(
        'The event store does not answer, so it is unknown whether the key is valid',
      );
    return (await this.wasRevoked(parts)) ? undefined : remembered;
  }

  /** According to the read model, which may lag. */
  private async wasRevoked({ environment, keyId }: ApiKeyParts): Promise<boolean> {
    const row = await this.reads.of(environment).keys.find(keyId);
    if (!row) return false;
    return row.revokedAt !== null || (row.retiresAt !== null && row.retiresAt <= this.clock());
  }

  /** @param slot cache entry: the key's hash, or environment and key id if the key itself is not at hand */
  private async lookUp(
    { environment, keyId }: ApiKeyParts,
    slot: string,
    hash?: string,
  ): Promise<KnownKey | undefined> {
    const heard = this.heard;
    const { state } = await load(this.store, streamName(environment, 'key', keyId), keyAggregate);
    this.callers.delete(slot);
    if (state.status !== 'active') return undefined;
    if (hash !== undefined && !sameHash(state.key.secretHash, hash)) return undefined;
    const { tenant, capabilities, requiresSignature = false } = state.key;
    const found: KnownKey = {
      readAt: performance.now(),
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
