import { beforeAll, describe, expect, it } from 'vitest';
import { streamName } from '#domain/streams.js';
import { storeWith, type EventStore } from '#event-store/event-store.js';
import { StorePresence } from '#event-store/store-presence.js';
import { newId } from '#platform/ids.js';
import { createLogger } from '#platform/logger.js';
import { AccountsFixture } from '../../../../test/support/accounts-fixture.js';
import { Announcements } from '../announcements.js';
import type { CommandContext } from '../command-context.js';
import { generateApiKey, signingSecretOf } from './api-key.js';
import { Authenticator } from './authenticator.js';
import type { ReadModels } from '../read-models.js';
import { issueKey, revokeKey, rotateKey } from '../../../../test/support/operator.js';

const fixture = AccountsFixture.ofSpec();
let store: EventStore;
/** The streams that were read from the store. */
let reads: string[] = [];
let counting: EventStore;

beforeAll(() => {
  ({ store } = fixture);
  counting = storeWith(store, {
    readStream: (stream, options) => {
      reads.push(stream);
      return store.readStream(stream, options);
    },
  });
});

const now = Date.parse('2026-06-01T12:00:00.000Z');
const grant = { capabilities: ['jobs:read'] as const, label: 'shop' };

function context(tenant = newId()): CommandContext {
  const commandId = newId();
  const at = new Date(now);
  return { environment: 'test', tenant, commandId, requestId: commandId, actor: 'operator', at };
}

/** The store answers at once here, so nothing is read from the read models. */
function authenticatorAt(clock: { at: number }): Authenticator {
  const presence = new StorePresence(() => Promise.resolve());
  return new Authenticator(counting, () => new Date(clock.at), presence, {} as ReadModels, { keyGraceMs: 0 });
}

describe('an authenticator', () => {
  it('refuses a key with a wrong checksum, or none, without a look at the store', async () => {
    const authenticator = authenticatorAt({ at: now });
    const { key } = await issueKey(store, context(), grant);
    reads = [];
    const wrong = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;
    for (const bad of ['', 'nonsense', wrong, key.toLowerCase(), key.slice(0, -1), `${key}0`, ` ${key}`]) {
      expect(await authenticator.authenticate(bad)).toBeUndefined();
    }
    expect(reads).toEqual([]);
  });

  it('looks once for a key that is good, and each time for one that is not', async () => {
    const authenticator = authenticatorAt({ at: now });
    const { keyId, key } = await issueKey(store, context(), grant);
    reads = [];
    for (let calls = 0; calls < 3; calls++) {
      expect(await authenticator.authenticate(key)).toMatchObject({ keyId, capabilities: ['jobs:read'] });
    }
    expect(reads).toEqual([streamName('test', 'key', keyId)]);
    expect(authenticator.recognises(key)).toBe(true);
    const made = generateApiKey('test').key;
    reads = [];
    expect(await authenticator.authenticate(made)).toBeUndefined();
    expect(await authenticator.authenticate(made)).toBeUndefined();
    expect(reads).toHaveLength(2);
    expect(authenticator.recognises(made)).toBe(false);
  });

  it('refuses a secret that is not the one of the id', async () => {
    const { keyId } = await issueKey(store, context(), grant);
    // The checksum is not secret: anyone can make a well-formed key for an id.
    const forged = generateApiKey('test', keyId).key;
    expect(await authenticatorAt({ at: now }).authenticate(forged)).toBeUndefined();
  });

  it('lets a rotated key and its successor in until it retires, to the second, remembered or not', async () => {
    const clock = { at: now };
    const authenticator = authenticatorAt(clock);
    const tenant = newId();
    const old = await issueKey(store, context(tenant), { ...grant, requiresSignature: true });
    await authenticator.authenticate(old.key);
    const rotated = await rotateKey(store, context(tenant), old.keyId, 60_000);
    if (rotated.kind === 'rejected') throw new Error(rotated.rejection.code);
    expect(rotated.retiresAt).toEqual(new Date(now + 60_000));
    authenticator.hear({
      environment: 'test',
      id: old.keyId,
      event: { type: 'ApiKeyRetired', data: { retiresAt: '', successorKeyId: '', at: '' } },
    });
    const { successor } = rotated;
    clock.at = now + 59_999;
    for (const { key, keyId } of [old, successor]) {
      expect(await authenticator.authenticate(key)).toEqual({
        environment: 'test',
        tenant,
        keyId,
        capabilities: ['jobs:read'],
        requiresSignature: true,
      });
    }
    clock.at = now + 60_000;
    expect(await authenticator.authenticate(old.key)).toBeUndefined();
    expect(await authenticatorAt(clock).authenticate(old.key)).toBeUndefined();
    expect(await authenticator.authenticate(successor.key)).toMatchObject({ keyId: successor.keyId });
  });

  it('hears of revocations and rotations wherever they happen', async () => {
    const clock = { at: now };
    const authenticator = authenticatorAt(clock);
    const announcements = new Announcements(store, [authenticator], createLogger('test', 'silent'));
    await announcements.onApplicationBootstrap();
    const tenant = newId();
    const [revoked, rotated] = [
      await issueKey(store, context(tenant), grant),
      await issueKey(store, context(tenant), grant),
    ];
    for (const { key } of [revoked, rotated]) expect(await authenticator.authenticate(key)).toBeDefined();
    await revokeKey(store, context(tenant), revoked.keyId, 'leaked');
    await rotateKey(store, context(tenant), rotated.keyId, 0);
    const heardBy = Date.now() + 1_000;
    for (const { key } of [revoked, rotated]) {
      while ((await authenticator.authenticate(key)) !== undefined) {
        expect(Date.now()).toBeLessThan(heardBy);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }
    await announcements.onApplicationShutdown();
  });
});

describe('the watch for announcements', () => {
  it('has begun when the process is ready: no later change is missed', async () => {
    const head = Promise.withResolvers<void>();
    const slow = storeWith(store, { head: () => head.promise.then(() => store.head()) });
    const announcements = new Announcements(
      slow,
      [authenticatorAt({ at: now })],
      createLogger('test', 'silent'),
    );
    let isReady = false;
    const ready = announcements.onApplicationBootstrap().then(() => (isReady = true));
    await store.head();
    expect(isReady).toBe(false);
    head.resolve();
    await ready;
    await announcements.onApplicationShutdown();
  });
});

describe('a rotation', () => {
  it('happens once: what a second one issued does not work', async () => {
    const tenant = newId();
    const { keyId } = await issueKey(store, context(tenant), grant);
    const both = await Promise.all([
      rotateKey(store, context(tenant), keyId, 1_000),
      rotateKey(store, context(tenant), keyId, 1_000),
    ]);
    expect(both.map(({ kind }) => kind).toSorted()).toEqual(['rejected', 'rotated']);
    const refused = both.find((each) => each.kind === 'rejected');
    expect(refused?.rejection.code).toBe('KEY_ROTATED');
    expect(await rotateKey(store, context(tenant), newId(), 0)).toMatchObject({
      kind: 'rejected',
      rejection: { code: 'KEY_NOT_FOUND' },
    });
  });
});

describe('a signing secret', () => {
  it('is the same for the same key, and another for another', () => {
    const [one, other] = [newId(), newId()];
    expect(signingSecretOf('k'.repeat(32), one)).toMatch(/^sks_[\w-]{43}$/);
    expect(signingSecretOf('k'.repeat(32), one)).toBe(signingSecretOf('k'.repeat(32), one));
    expect(signingSecretOf('k'.repeat(32), one)).not.toBe(signingSecretOf('k'.repeat(32), other));
    expect(signingSecretOf('k'.repeat(32), one)).not.toBe(signingSecretOf('l'.repeat(32), one));
  });
});
