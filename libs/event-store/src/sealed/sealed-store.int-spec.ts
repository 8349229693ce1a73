import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { erasedText } from '#domain/erased.js';
import { eventually } from '../../../../test/support/eventually.js';
import { createTestDatabase } from '../../../../test/support/test-database.js';
import { EventMacs } from '../authentic/event-macs.js';
import { EventStoreRefused } from '../event-store.js';
import { openEventStore } from '../open-event-store.js';
import { PostgresEventStore } from '../postgres/postgres-event-store.js';
import { canonicalJson } from '../walk-log.js';
import type { DataKeys } from './data-keys.js';
import { WordsUnreadable } from './key-rows.js';
import { name, only, openSealedLog, registered, secret, signingKey, titleOf } from '../testing/sealed-log.js';

const { database, pool, raw, keysOf, processWith, tenantWithWords, close } = await openSealedLog();
afterAll(close);

const processIn = (keys: DataKeys | undefined) => processWith(keys).store;

describe('a store with personal words', () => {
  it('holds them encrypted, and gives them back to every process with the master key', async () => {
    const { stream, event, store } = await tenantWithWords();
    const { rows } = await pool.query(
      `select data::text || metadata::text as text from event_store.events where stream = $1`,
      [stream],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0].text).not.toContain('Anna');
    expect(rows[0].text).not.toContain('f00d');
    expect((await only(store, stream)).data).toEqual(event.data);
    const other = processIn(keysOf());
    expect((await only(other, stream)).data).toEqual(event.data);
    const [found] = (await other.readAll()).filter((each) => each.stream === stream);
    expect(found?.data).toEqual(event.data);
  });

  it('gives them to subscribers, and writes them in appends to several streams', async () => {
    const tenant = randomUUID();
    const [one, two] = [`live.product-${tenant}1`, `live.product-${tenant}2`];
    const store = processIn(keysOf());
    const events = [registered(tenant, 'One'), registered(tenant, 'Two')] as const;
    await store.appendTogether!([
      { stream: one, expectedRevision: 'no-stream', events: [events[0]] },
      { stream: two, expectedRevision: 'no-stream', events: [events[1]] },
    ]);
    expect(titleOf(await only(raw, two))).toBe(erasedText);
    const ended = new AbortController();
    const titles: string[] = [];
    for await (const batch of processIn(keysOf()).subscribe({ signal: ended.signal })) {
      titles.push(...batch.events.filter(({ stream }) => stream === one || stream === two).map(titleOf));
      if (batch.caughtUp) ended.abort();
    }
    expect(titles).toEqual(['One', 'Two']);
  });

  it('erases them with their key, in every process, and leaves what is signed as it was', async () => {
    const { owner, stream, event, store, keys } = await tenantWithWords();
    const hasty = processIn(keysOf({ lifetimeMs: 200 }));
    const before = canonicalJson(await only(hasty, stream));
    expect(before).toBe(canonicalJson(await only(raw, stream)));
    await keys.destroy(owner);
    const erased = {
      ...(event.data as object),
      title: erasedText,
      images: [{ assetId: 'a1', storageKey: 'uploads/a1', sha256: erasedText, role: 'primary' }],
    };
    expect((await only(store, stream)).data).toEqual(erased);
    expect((await only(processIn(keysOf()), stream)).data).toEqual(erased);
    await eventually(async () => titleOf(await only(hasty, stream)) === erasedText);
    expect(canonicalJson(await only(hasty, stream))).toBe(before);
    const { rows } = await pool.query(
      `select wrapped, destroyed_at from data_keys.sheets where tenant = $1`,
      [owner.tenant],
    );
    expect(rows).toEqual([{ wrapped: null, destroyed_at: expect.any(Date) }]);
  });

  it('erases the words of one tenant only', async () => {
    const [gone, stays] = [await tenantWithWords(), await tenantWithWords()];
    await gone.keys.destroy(gone.owner);
    expect(titleOf(await only(processIn(keysOf()), stays.stream))).toBe(name);
  });

  it('writes later words of the same tenant under a new key', async () => {
    const { owner, stream, keys, store } = await tenantWithWords();
    await keys.destroy(owner);
    await store.append(`${stream}-2`, 'no-stream', [registered(owner.tenant, 'Later')]);
    const other = processIn(keysOf());
    expect(titleOf(await only(other, `${stream}-2`))).toBe('Later');
    expect(titleOf(await only(other, stream))).toBe(erasedText);
  });

  it('fails, and erases nothing, when the key store has lost a key', async () => {
    const { owner, stream } = await tenantWithWords();
    await pool.query(`delete from data_keys.sheets where tenant = $1`, [owner.tenant]);
    await expect(only(processIn(keysOf()), stream)).rejects.toThrow(/the key store lacks the data key/);
  });

  it('reads and writes plain events without a master key, and fails at encrypted ones', async () => {
    const { stream } = await tenantWithWords();
    const keyless = processIn(undefined);
    await expect(only(keyless, stream)).rejects.toThrow(/ATELIER_MASTER_KEY is not set/);
    const tenant = randomUUID();
    await keyless.append(`live.product-${tenant}`, 'no-stream', [registered(tenant)]);
    expect(titleOf(await only(raw, `live.product-${tenant}`))).toBe(name);
    expect(titleOf(await only(processIn(keysOf()), `live.product-${tenant}`))).toBe(name);
  });

  it('opens with its own master key alone, and with the next one after a rotation', async () => {
    const { stream } = await tenantWithWords();
    const next = randomUUID();
    await expect(only(processIn(keysOf({ masterKey: next })), stream)).rejects.toThrow(WordsUnreadable);
    await expect(only(processIn(keysOf({ masterKey: next })), stream)).rejects.toThrow(EventStoreRefused);
    const rotating = keysOf({ masterKey: next, accepted: [secret] });
    expect(titleOf(await only(processIn(rotating), stream))).toBe(name);
    expect(await rotating.rewrap()).toBeGreaterThan(0);
    expect(await rotating.rewrap()).toBe(0);
    expect(titleOf(await only(processIn(keysOf({ masterKey: next })), stream))).toBe(name);
    await keysOf({ accepted: [next] }).rewrap();
  });

  it('refuses words that were moved to another event', async () => {
    const one = await tenantWithWords();
    const stored = await only(raw, one.stream);
    const macs = new EventMacs({ signingKey });
    // Not even a process with the signing key can move them.
    const forger = new PostgresEventStore({ pool, macs });
    await forger.append(`${one.stream}-copy`, 'no-stream', [{ ...stored, id: randomUUID() }]);
    await expect(only(one.store, `${one.stream}-copy`)).rejects.toThrow(/do not fit their key/);
  });

  it('leaves words aside that came with the metadata of another event', async () => {
    const { stream, store, owner } = await tenantWithWords();
    const { metadata } = await only(store, stream);
    await store.append(`${stream}-next`, 'no-stream', [{ ...registered(owner.tenant, 'Next'), metadata }]);
    expect(titleOf(await only(processIn(keysOf()), `${stream}-next`))).toBe('Next');
  });

  it('makes one key of the tenant when many processes write for a new one at the same time', async () => {
    const tenant = randomUUID();
    const streams = Array.from({ length: 8 }, (_, index) => `live.account-${tenant}${index}`);
    await Promise.all(
      streams.map((stream) => processIn(keysOf()).append(stream, 'no-stream', [registered(tenant)])),
    );
    const { rows } = await pool.query(`select id from data_keys.keys where tenant = $1`, [tenant]);
    expect(rows).toHaveLength(1);
    const reader = processIn(keysOf());
    for (const stream of streams) expect(titleOf(await only(reader, stream))).toBe(name);
  });

  it('keeps keys in a database of their own, if the operator wants that', async () => {
    await using separate = await separateKeys();
    const tenant = randomUUID();
    const stream = `live.product-${tenant}`;
    await separate.store.append(stream, 'no-stream', [registered(tenant)]);
    expect(titleOf(await only(separate.store, stream))).toBe(name);
    const here = await pool.query(`select from data_keys.sheets where tenant = $1`, [tenant]);
    expect(here.rowCount).toBe(0);
  });
});

async function separateKeys() {
  const { prepareEventStore } = await import('../open-event-store.js');
  const keys = await createTestDatabase();
  const urls = { eventStoreUrl: database.url, databaseUrl: database.url, keysUrl: keys.url };
  await prepareEventStore(urls);
  await prepareEventStore(urls);
  const opened = await openEventStore(urls, { proof: { signingKey }, words: { masterKey: secret } });
  return {
    store: opened.store,
    async [Symbol.asyncDispose]() {
      await opened.close();
      await keys.drop();
    },
  };
}
