import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { erasedText } from '#domain/erased.js';
import { eventually } from '../../../../test/support/eventually.js';
import { storeWith, type StreamWrite } from '../event-store.js';
import { PostgresDataKeys } from '../postgres/postgres-data-keys.js';
import { PostgresEventStore } from '../postgres/postgres-event-store.js';
import type { DataKeyStore, KeyOwner } from './data-key-store.js';
import { DataKeys } from './data-keys.js';
import { keyPlace, keysOnSheet } from './key-row.js';
import { WordsUnreadable } from './key-rows.js';
import { LocalMasterKey } from './master-key.js';
import { keyOf, only, openSealedLog, registered, secret, titleOf } from '../testing/sealed-log.js';

const { pool, raw, keysOf, processWith, tenantWithWords, close } = await openSealedLog();
afterAll(close);

const erasedOnly = (erased: number) => ({ erased, underTenantKey: 0, plain: 0 });

/** Products of one tenant, one event each, all written by one process. */
async function products(titles: readonly string[]) {
  const tenant = randomUUID();
  const streams = titles.map((_, index) => `live.product-${tenant}-${index}`);
  const keys = keysOf();
  const writer = processWith(keys);
  const events = titles.map((title) => registered(tenant, title));
  for (const [index, stream] of streams.entries())
    await writer.store.append(stream, 'no-stream', [events[index]!]);
  const titlesNow = async (reader = processWith(keysOf())) =>
    Promise.all(streams.map(async (stream) => titleOf(await only(reader.store, stream))));
  const keyNames = () => Promise.all(streams.map(async (stream) => keyOf(await only(raw, stream))));
  return { owner: { environment: 'live', tenant }, tenant, streams, keys, writer, titlesNow, keyNames };
}

/** The unwrapped keys of a sheet, as the key store has them. */
async function sheetBytes(id: string): Promise<Buffer> {
  const [stored] = await new PostgresDataKeys(pool).find([id]);
  return new LocalMasterKey({ masterKey: secret }).unwrap(stored!.wrapped!, id);
}

/** The key store, with something that happens just before a sheet is replaced for the first time. */
function interrupted(before: () => Promise<unknown>): DataKeyStore {
  const store = new PostgresDataKeys(pool);
  let isFirst = true;
  const replace: DataKeyStore['replace'] = async (...given) => {
    if (isFirst) {
      isFirst = false;
      await before();
    }
    return store.replace(...given);
  };
  return Object.assign(Object.create(store) as PostgresDataKeys, { replace });
}

/** Writes all words under the key of the tenant, as the first release with encrypted words did. */
class TenantKeysOnly extends DataKeys {
  override inMemory(write: StreamWrite, owner: KeyOwner) {
    return super.inMemory({ ...write, stream: 'live.account-any' }, owner);
  }
  override prepare(write: StreamWrite, owner: KeyOwner) {
    return super.prepare({ ...write, stream: 'live.account-any' }, owner);
  }
}

const earlierRelease = () =>
  processWith(
    new TenantKeysOnly({
      store: new PostgresDataKeys(pool),
      master: new LocalMasterKey({ masterKey: secret }),
    }),
  );

describe('keys of streams', () => {
  it('serve one stream each, and the same stream again', async () => {
    const { tenant, streams, writer, keyNames } = await products(['One', 'Two', 'Three']);
    await writer.store.append(streams[0]!, 0n, [registered(tenant, 'One again')]);
    const names = await keyNames();
    expect(new Set(names).size).toBe(3);
    expect(new Set(names.map((name) => keyPlace(name).row)).size).toBe(1);
    const slice = await raw.readStream(streams[0]!, { from: 1n });
    expect(slice.kind === 'found' && slice.events.map(keyOf)).toEqual([names[0]]);
  });

  it('come from sheets of the process, one row for 64', async () => {
    const tenant = randomUUID();
    const streams = Array.from({ length: keysOnSheet + 6 }, (_, index) => `live.product-${tenant}-${index}`);
    await processWith(keysOf()).store.appendTogether!(
      streams.map((stream) => ({ stream, expectedRevision: 'no-stream', events: [registered(tenant)] })),
    );
    const names = await Promise.all(streams.map(async (stream) => keyOf(await only(raw, stream))));
    expect(new Set(names).size).toBe(streams.length);
    await processWith(keysOf()).store.append(`live.product-${tenant}-other`, 'no-stream', [
      registered(tenant),
    ]);
    expect(names.map((name) => keyPlace(name).row)).not.toContain(
      keyPlace(keyOf(await only(raw, `live.product-${tenant}-other`))).row,
    );
    const { rows } = await pool.query(`select id from data_keys.sheets where tenant = $1`, [tenant]);
    expect(rows).toHaveLength(3);
  });

  it('are taken from the same sheet after it has left the memory, and from a new one if the store lost it', async () => {
    const tenant = randomUUID();
    const { store } = processWith(keysOf({ lifetimeMs: 20 }));
    const write = async (title: string) => {
      const stream = `live.product-${tenant}-${title}`;
      await store.append(stream, 'no-stream', [registered(tenant, title)]);
      return keyPlace(keyOf(await only(raw, stream)));
    };
    const first = await write('a');
    await new Promise((resolve) => setTimeout(resolve, 50));
    const second = await write('b');
    expect(second).toEqual({ row: first.row, index: 1 });
    await pool.query(`delete from data_keys.sheets where tenant = $1`, [tenant]);
    await eventually(async () => (await write(randomUUID())).row !== first.row);
  });

  it('are not made for streams that share the key of their tenant', async () => {
    const tenant = randomUUID();
    const { store } = processWith(keysOf());
    for (const category of ['account', 'usage'])
      await store.append(`live.${category}-${tenant}`, 'no-stream', [registered(tenant)]);
    const [one, two] = [await only(raw, `live.account-${tenant}`), await only(raw, `live.usage-${tenant}`)];
    expect(keyPlace(keyOf(one)).index).toBeUndefined();
    expect(keyOf(two)).toBe(keyOf(one));
  });
});

describe('erasing the words of a stream', () => {
  it('leaves its neighbours on the same sheet, in every process', async () => {
    const { streams, writer, titlesNow } = await products(['One', 'Two', 'Three']);
    expect(await writer.erasure.eraseWords([streams[1]!])).toEqual(erasedOnly(1));
    expect(await titlesNow(writer)).toEqual(['One', erasedText, 'Three']);
    expect(await titlesNow()).toEqual(['One', erasedText, 'Three']);
  });

  it('overwrites its 32 bytes on the sheet, and no others', async () => {
    const { streams, writer, keyNames } = await products(['One', 'Two', 'Three']);
    const { row, index } = keyPlace((await keyNames())[1]!);
    const before = await sheetBytes(row);
    const [stored] = await new PostgresDataKeys(pool).find([row]);
    await writer.erasure.eraseWords([streams[1]!]);
    const after = await sheetBytes(row);
    const key = before.subarray(index! * 32, (index! + 1) * 32);
    expect(before.includes(key)).toBe(true);
    expect(after.includes(key)).toBe(false);
    before.fill(0, index! * 32, (index! + 1) * 32);
    expect(after).toEqual(before);
    const { rows } = await pool.query(`select from data_keys.sheets where wrapped = $1`, [
      stored!.wrapped!.wrapped,
    ]);
    expect(rows).toEqual([]);
  });

  it('is final in the files of the database once the table is rewritten', async () => {
    const { streams, writer, keyNames } = await products(['One', 'Two']);
    const { row } = keyPlace((await keyNames())[0]!);
    const [stored] = await new PostgresDataKeys(pool).find([row]);
    // PostgreSQL keeps a value of this size apart, in pieces.
    const isInFiles = async () => {
      await pool.query('checkpoint');
      const { rows } = await pool.query(
        `select pg_read_binary_file(pg_relation_filepath(c.oid)) as bytes from pg_class c
          where c.oid = 'data_keys.sheets'::regclass
             or c.oid = (select reltoastrelid from pg_class where oid = 'data_keys.sheets'::regclass)`,
      );
      const piece = stored!.wrapped!.wrapped.subarray(0, 100);
      return rows.some(({ bytes }: { bytes: Buffer }) => bytes.includes(piece));
    };
    await writer.erasure.eraseWords([streams[0]!]);
    expect(await isInFiles()).toBe(true);
    // Old rows stay while another session, for example an automatic analyze, holds a snapshot.
    await eventually(async () => {
      await pool.query('vacuum full data_keys.sheets');
      return !(await isInFiles());
    });
  });

  it('reaches a process that has the key in memory', async () => {
    const { streams, writer, titlesNow } = await products(['One', 'Two']);
    const hasty = processWith(keysOf({ lifetimeMs: 200 }));
    expect(await titlesNow(hasty)).toEqual(['One', 'Two']);
    await writer.erasure.eraseWords([streams[0]!]);
    await eventually(async () => (await titlesNow(hasty))[0] === erasedText);
    expect(await titlesNow(hasty)).toEqual([erasedText, 'Two']);
  });

  it('erases what several processes wrote to it', async () => {
    const { owner, stream, erasure, store } = await tenantWithWords();
    const other = processWith(keysOf());
    await other.store.append(stream, 0n, [registered(owner.tenant, 'From elsewhere')]);
    expect(await erasure.eraseWords([stream])).toEqual(erasedOnly(2));
    const slice = await store.readStream(stream);
    expect(slice.kind === 'found' && slice.events.map(titleOf)).toEqual([erasedText, erasedText]);
  });

  it('gives a later event of the stream a new key', async () => {
    const { owner, stream, erasure, store } = await tenantWithWords();
    await erasure.eraseWords([stream]);
    await store.append(stream, 0n, [registered(owner.tenant, 'Later')]);
    const slice = await processWith(keysOf()).store.readStream(stream);
    expect(slice.kind === 'found' && slice.events.map(titleOf)).toEqual([erasedText, 'Later']);
  });

  it('does not reach what a process writes afterwards that has the destroyed key in memory', async () => {
    const { owner, stream, store } = await tenantWithWords();
    const other = processWith(keysOf());
    // As an erasure does: first the event that ends the words, then the key.
    await other.store.append(stream, 0n, [registered(owner.tenant, 'From elsewhere')]);
    await other.erasure.eraseWords([stream]);
    await store.append(stream, 1n, [registered(owner.tenant, 'Anew')]);
    const slice = await processWith(keysOf()).store.readStream(stream);
    expect(slice.kind === 'found' && slice.events.map(titleOf)).toEqual([erasedText, erasedText, 'Anew']);
  });

  it('may be repeated, and counts the same', async () => {
    const { streams, writer } = await products(['One', 'Two']);
    const all = [...streams, ...streams, `live.product-${randomUUID()}`];
    expect(await writer.erasure.eraseWords(all)).toEqual(erasedOnly(2));
    expect(await writer.erasure.eraseWords(all)).toEqual(erasedOnly(2));
    expect(await processWith(keysOf()).erasure.eraseWords(all)).toEqual(erasedOnly(2));
  });

  it('counts the events that it cannot erase: under the key of their tenant, or plain', async () => {
    const { owner, stream, store, erasure, keys } = await tenantWithWords();
    await earlierRelease().store.append(stream, 0n, [registered(owner.tenant, 'Earlier')]);
    await processWith(undefined).store.append(stream, 1n, [registered(owner.tenant, 'Plain')]);
    expect(await erasure.eraseWords([stream])).toEqual({ erased: 1, underTenantKey: 1, plain: 1 });
    const titles = async () => {
      const slice = await store.readStream(stream);
      return slice.kind === 'found' && slice.events.map(titleOf);
    };
    expect(await titles()).toEqual([erasedText, 'Earlier', 'Plain']);
    await keys.destroy(owner);
    expect(await erasure.eraseWords([stream])).toEqual({ erased: 2, underTenantKey: 0, plain: 1 });
    expect(await titles()).toEqual([erasedText, erasedText, 'Plain']);
  });

  it('needs the master key where words are encrypted', async () => {
    const { stream, store } = await tenantWithWords();
    const keyless = processWith(undefined);
    await expect(keyless.erasure.eraseWords([stream])).rejects.toThrow(/ATELIER_MASTER_KEY is not set/);
    expect(titleOf(await only(store, stream))).not.toBe(erasedText);
  });

  it('fails at a sheet that the key store has lost, and such words do not count as erased', async () => {
    const { owner, stream, erasure } = await tenantWithWords();
    await pool.query(`delete from data_keys.sheets where tenant = $1`, [owner.tenant]);
    await expect(erasure.eraseWords([stream])).rejects.toThrow(/the key store lacks the data key/);
    await expect(only(processWith(keysOf()).store, stream)).rejects.toThrow(WordsUnreadable);
  });

  it('leaves the key that a forged event names', async () => {
    const { owner, stream, erasure } = await tenantWithWords();
    const stored = await only(raw, stream);
    const forged = `live.product-${randomUUID()}`;
    // Without the signing key.
    const forger = new PostgresEventStore({ pool });
    await forger.append(forged, 'no-stream', [
      { ...registered(owner.tenant), metadata: { ...stored.metadata, sealed: stored.metadata.sealed! } },
    ]);
    expect(await erasure.eraseWords([forged])).toEqual(erasedOnly(0));
    expect(titleOf(await only(processWith(keysOf()).store, stream))).not.toBe(erasedText);
  });
});

describe('erasing while others work', () => {
  it('holds beside an erasure of a neighbour on the sheet', async () => {
    const { streams, titlesNow } = await products(['One', 'Two', 'Three']);
    const neighbour = () => processWith(keysOf()).erasure.eraseWords([streams[0]!]);
    const late = processWith(keysOf({ store: interrupted(neighbour) }));
    expect(await late.erasure.eraseWords([streams[1]!])).toEqual(erasedOnly(1));
    expect(await titlesNow()).toEqual([erasedText, erasedText, 'Three']);
    expect(await titlesNow(late)).toEqual([erasedText, erasedText, 'Three']);
  });

  it('holds beside a rotation of the master key, whoever is first', async () => {
    const next = randomUUID();
    const rotating = { masterKey: next, accepted: [secret] };
    const { streams, titlesNow } = await products(['One', 'Two', 'Three']);
    const rotated = processWith(keysOf(rotating));

    const late = processWith(
      keysOf({ accepted: [next], store: interrupted(() => keysOf(rotating).rewrap()) }),
    );
    expect(await late.erasure.eraseWords([streams[0]!])).toEqual(erasedOnly(1));
    expect(await titlesNow(rotated)).toEqual([erasedText, 'Two', 'Three']);

    const erase = () => processWith(keysOf({ accepted: [next] })).erasure.eraseWords([streams[1]!]);
    await keysOf({ ...rotating, store: interrupted(erase) }).rewrap();
    expect(await keysOf(rotating).count()).toMatchObject({ underOtherMasters: 0 });
    expect(await titlesNow(processWith(keysOf({ masterKey: next })))).toEqual([
      erasedText,
      erasedText,
      'Three',
    ]);
    await keysOf({ accepted: [next] }).rewrap();
  });

  it('erases all of many neighbours at the same time', async () => {
    const titles = Array.from({ length: 12 }, (_, index) => `${index}`);
    const { streams, titlesNow } = await products(titles);
    await Promise.all(
      streams.slice(1).map((stream) => processWith(keysOf()).erasure.eraseWords([stream, stream])),
    );
    expect(await titlesNow()).toEqual(['0', ...titles.slice(1).map(() => erasedText)]);
  });

  it('ends after a death at any await, and says erased only of what is', async () => {
    for (let survived = 0; ; survived++) {
      const { streams, titlesNow } = await products(['One', 'Two', 'Three']);
      let calls = 0;
      const mortal = async <T>(work: () => Promise<T>): Promise<T> => {
        if (calls++ === survived) throw new Error('the process died before this call');
        const result = await work();
        if (calls++ === survived) throw new Error('the process died after this call');
        return result;
      };
      const store = new PostgresDataKeys(pool);
      const dying = processWith(
        keysOf({
          store: Object.assign(Object.create(store) as PostgresDataKeys, {
            find: (ids: readonly string[]) => mortal(() => store.find(ids)),
            replace: (...given: Parameters<DataKeyStore['replace']>) => mortal(() => store.replace(...given)),
          }),
        }),
        (log) => storeWith(log, { readStream: (...given) => mortal(() => log.readStream(...given)) }),
      );
      const end = await dying.erasure.eraseWords(streams.slice(0, 2)).catch((error: unknown) => error);
      const before = await titlesNow();
      expect([erasedText, 'One']).toContain(before[0]);
      if (!(end instanceof Error)) {
        expect(before).toEqual([erasedText, erasedText, 'Three']);
        expect(survived).toBeGreaterThan(6);
        return;
      }
      expect(await processWith(keysOf()).erasure.eraseWords(streams.slice(0, 2))).toEqual(erasedOnly(2));
      expect(await titlesNow()).toEqual([erasedText, erasedText, 'Three']);
    }
  });
});

describe('keys of the whole tenant', () => {
  it('are destroyed together with its sheets', async () => {
    const { owner, stream, keys } = await tenantWithWords();
    await earlierRelease().store.append(stream, 0n, [registered(owner.tenant, 'Earlier')]);
    await keys.destroy(owner);
    const slice = await processWith(keysOf()).store.readStream(stream);
    expect(slice.kind === 'found' && slice.events.map(titleOf)).toEqual([erasedText, erasedText]);
  });

  it('of an earlier release are read, wrapped again and counted', async () => {
    const tenant = randomUUID();
    const stream = `live.product-${tenant}`;
    await earlierRelease().store.append(stream, 'no-stream', [registered(tenant, 'Earlier')]);
    const next = randomUUID();
    const before = await keysOf().count();
    expect(before.keys).toBeGreaterThan(0);
    await keysOf({ masterKey: next, accepted: [secret] }).rewrap();
    expect(await keysOf({ masterKey: next }).count()).toEqual({ ...before, underOtherMasters: 0 });
    expect(titleOf(await only(processWith(keysOf({ masterKey: next })).store, stream))).toBe('Earlier');
    await keysOf({ accepted: [next] }).rewrap();
  });
});
