import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ownEvents } from '#event-store/own-events.js';
import type { TrustedSeals } from '../seal-chain.js';
import { copyLog } from '../../../test/support/copy-log.js';
import { proveInclusion } from '../proof.js';
import { sealStream } from '../seal.events.js';
import { sealDigest, type StoredSeal } from '../seal.js';
import { newSealKey, readSealKey } from '../seal.key.js';
import { SealsReader } from '../seals-audit.js';
import { sealAll, sealKey, sealsOf } from './support/sealing.js';
import { AuditedStore } from '../../../test/audit/support/audited-store.js';
import { story } from '../../../test/audit/support/planted.js';
import {
  tamperingInPeer,
  tamperingInPostgres,
  type Place,
  type Tampering,
} from '../../../test/audit/support/tampering.js';

const account = 'live.account-acme';
const key = 'live.key-k';
const history = () =>
  story()
    .tell('key', 'k', 'acme', 'ApiKeyIssued', {
      keyId: 'k',
      tenant: 'acme',
      hash: 'f00d'.repeat(16),
      capabilities: ['jobs:create'],
      label: '',
      hint: 'f00d',
    } as never)
    .job('acme', 'j')
    .tell('key', 'k', 'acme', 'ApiKeyRevoked', { reason: 'leaked' })
    .job('acme', 'k')
    .buy('acme', 500);

let audited: AuditedStore;
beforeAll(async () => {
  audited = await AuditedStore.open();
});
afterAll(() => audited[Symbol.asyncDispose]());

describe.each([
  ['PostgreSQL', () => tamperingInPostgres(audited)],
  ['EventStoreDB (the peer)', tamperingInPeer],
])('a sealed log in %s', (_, open) => {
  let log: Tampering;
  let kept: readonly StoredSeal[];

  beforeEach(async () => {
    log = await open();
    for (const { stream, event } of history().appends) await log.store.append(stream, 'any', [event]);
    kept = await sealAll(log.store, { batchSize: 4 });
  });
  afterEach(() => log.close());

  /** Only the findings from the seals; the audit may report others about the log. */
  async function findings(
    trusted: Partial<TrustedSeals> = {},
    where: Parameters<AuditedStore['audit']>[0] = { store: log.store, patienceMs: 0 },
  ) {
    const report = await audited.audit({
      ...where,
      readers: [new SealsReader({ keys: [sealKey.publicKey], kept: [], ...trusted })],
    });
    return report.findings.filter(({ check }) => check === 'seals' || check === 'seal-chain');
  }

  /** Appends one more event, to a job of its own. */
  async function appendTo(job: string, { store }: Tampering = log): Promise<void> {
    const { event } = history().appends[0]!;
    await store.append(`live.job-${job}`, 'no-stream', [{ ...event, id: crypto.randomUUID() }]);
  }

  const at = ([stream, revision]: Place, check = 'seals') =>
    expect.objectContaining({ stream, revision, check });
  const inSeals = (message: RegExp) =>
    expect.objectContaining({ check: 'seal-chain', message: expect.stringMatching(message) });

  it('holds as it was sealed, in several ranges, and so does what came since', async () => {
    expect(kept.length).toBeGreaterThan(3);
    expect(kept.reduce((sum, { count }) => sum + count, 0)).toBe(history().appends.length);
    await appendTo('late');
    expect(await findings({ kept })).toEqual([]);
  });

  it('proves each of its events by the seal whose range it is in', async () => {
    const events = await log.store.readAll({ filter: ownEvents });
    expect(events).toHaveLength(history().appends.length);
    const places = kept.flatMap(({ number, count }) =>
      Array.from({ length: count }, (_, at) => [number, at]),
    );
    for (const [index, event] of events.entries()) {
      const { seal, index: place } = await proveInclusion(log.store, event);
      expect([seal.number, place]).toEqual(places[index]);
    }
  });

  it.each<[what: string, found: Place, (log: Tampering) => Promise<void>]>([
    ['1,000 more on a purchase', [account, 1], (log) => log.replace([account, 1], ':100', ':1100')],
    ['a replaced key hash', [key, 0], (log) => log.replace([key, 0], 'f00df00d', 'badcbadc')],
    ['another actor', [account, 2], (log) => log.replace([account, 2], '"operator"', '"key:x"')],
    ['another time', ['live.job-j', 1], (log) => log.replace(['live.job-j', 1], '2026-06-01', '2026-05-31')],
    ['a deleted revocation', [account, 4], (log) => log.remove([key, 1])],
    ['a deleted event within a range', ['live.job-j', 3], (log) => log.remove(['live.job-j', 2])],
    ['swapped positions', [account, 2], (log) => log.swap([account, 2], ['live.job-k', 1])],
    ['swapped neighbours', ['live.job-k', 2], (log) => log.swap(['live.job-k', 1], ['live.job-k', 2])],
    ['an event twice, without its unique index', ['live.job-j', 1], (log) => log.repeat(['live.job-j', 1])],
  ])('finds %s, and names the first event that is not as it was sealed', async (_what, found, alter) => {
    await alter(log);
    const [first] = await findings();
    expect(first).toEqual(at(found));
    const told = /history is not what was sealed, from event \d of the (\d) of seal (\d)/;
    const [, count, number] = told.exec(first?.message ?? '') ?? [];
    // A store that is slow to send makes a range shorter.
    expect(count).toBe(String(kept[Number(number) - 1]?.count));
  });

  it('finds the last events taken away, and names those that stood there', async () => {
    const last: Place = [account, 6];
    await log.remove(last);
    expect(await findings()).toEqual([at(last)]);
  });

  it('finds each alteration of the seals themselves', async () => {
    await log.replace([sealStream, 1], `"count":${kept[1]!.count}`, `"count":${kept[1]!.count + 1}`);
    expect(await findings()).toContainEqual(inSeals(/not signed/));
    await log.replace([sealStream, 1], `"count":${kept[1]!.count + 1}`, `"count":${kept[1]!.count}`);
    expect(await findings()).toEqual([]);
    await log.replace([sealStream, 2], `"leaves":"${kept[2]!.leaves}"`, `"leaves":"${kept[1]!.leaves}"`);
    expect(await findings()).toEqual([inSeals(/fingerprints beside seal 3 do not belong to it/)]);
    await log.remove([sealStream, 2]);
    expect(await findings()).toContainEqual(inSeals(/does not follow the one before: previous/));
  });

  it('finds a history that was altered and sealed again with the same key, by one seal that was kept', async () => {
    const [, , , fourth] = kept;
    for (let revision = kept.length - 1; revision >= 0; revision--) await log.remove([sealStream, revision]);
    await log.replace([account, 1], '"amount":100', '"amount":1100');
    const again = await sealAll(log.store, { batchSize: 4 });
    expect(again).toHaveLength(kept.length);
    expect(await findings()).toEqual([]);
    expect(await findings({ kept: [fourth!] })).toEqual([inSeals(/seal 4 of chain .* was kept, and is not/)]);
  });

  it('finds a history that was sealed again with another key', async () => {
    for (let revision = kept.length - 1; revision >= 0; revision--) await log.remove([sealStream, revision]);
    await sealAll(log.store, { key: readSealKey(newSealKey()) });
    expect(await findings()).toEqual([inSeals(/signed by another key/)]);
  });

  it('finds that all seals were taken away, and that nothing was sealed for long', async () => {
    for (let revision = kept.length - 1; revision >= 0; revision--) await log.remove([sealStream, revision]);
    expect(await findings()).toEqual([at([account, 0])]);
    expect(await findings({ keys: [] })).toEqual([]);
  });

  it('goes on under a new key that the old one has named, and under no other', async () => {
    const successor = readSealKey(newSealKey(sealKey));
    const stranger = readSealKey(newSealKey());
    await appendTo('late');
    await expect(sealAll(log.store, { key: stranger })).rejects.toThrow(/is sealed with the key/);
    await sealAll(log.store, { key: successor });
    await appendTo('later');
    await expect(sealAll(log.store)).rejects.toThrow(/is sealed with the key/);
    await sealAll(log.store, { key: successor });
    expect(await findings({ keys: [successor.publicKey] })).toEqual([]);
    expect(await findings()).toEqual([inSeals(/signed by another key/)]);
    expect((await sealsOf(log.store)).map((seal) => seal.key === sealKey.publicKey)).toEqual([
      ...kept.map(() => true),
      false,
      false,
    ]);
  });

  it('is continued in one way by two sealers at once', async () => {
    const writing = (async () => {
      for (let n = 0; n < 40; n++) await appendTo(`more-${n}`);
    })();
    await Promise.all([writing, sealAll(log.store), sealAll(log.store)]);
    await sealAll(log.store);
    expect(await findings({ kept })).toEqual([]);
  });

  it('is sealed anew where it is copied to, and names there the last seal of its source', async () => {
    const elsewhere = await tamperingInPeer();
    try {
      expect(await copyLog(log.store, elsewhere.store)).toMatchObject({ verified: true, sourceGrew: false });
      expect(await copyLog(log.store, elsewhere.store)).toMatchObject({ verified: true, copied: 0 });
      const [first] = (await sealAll(elsewhere.store)).filter(({ number }) => number > 0).slice(1);
      expect(first).toMatchObject({ number: 1, previous: null, source: sealDigest(kept.at(-1)!) });
      const there = { store: elsewhere.store, patienceMs: 0 };
      const audit = (trusted: Partial<TrustedSeals>) =>
        findings({ keys: [sealKey.publicKey], ...trusted }, there);
      expect(await audit({ kept: [kept.at(-1)!, first!] })).toEqual([]);
      expect(await audit({ kept: [kept[0]!] })).toEqual([inSeals(/seal 1 of chain .* was kept/)]);
      // Copies back again, with the event that was added since.
      await appendTo('late', elsewhere);
      const sealed = await sealAll(elsewhere.store);
      await copyLog(elsewhere.store, log.store);
      const back = (await sealAll(log.store)).at(-1);
      expect(back).toMatchObject({ number: kept.length + 1, source: sealDigest(sealed.at(-1)!) });
      expect(await findings({ kept: [...kept, sealed.at(-1)!] })).toEqual([]);
      await log.replace([sealStream, kept.length], '"count":', '"count":1');
      expect(await findings()).toContainEqual(inSeals(/SourceSealed is not signed/));
    } finally {
      await elsewhere.close();
    }
  });

  it('is not sealed on where its last sealed event is not what it was', async () => {
    const { last } = kept.at(-1)!;
    await log.remove([last.stream, last.revision]);
    await appendTo('late');
    await expect(sealAll(log.store)).rejects.toThrow(/which is not in the log as it was sealed/);
  });
});

describe('an event that was altered with all its rows', () => {
  it('is found by its seal, and by nothing else', async () => {
    await using whole = await AuditedStore.open();
    const { store } = whole.fixture;
    for (const { stream, event } of story().job('acme', 'j').appends)
      await store.append(stream, 'any', [event]);
    whole.startProjecting();
    await whole.projected();
    await sealAll(store);
    const readers = () => [new SealsReader({ keys: [sealKey.publicKey], kept: [] })];
    expect((await whole.audit({ readers: readers() })).findings).toEqual([]);
    await whole.sql(`begin; set local session_replication_role = replica;
      update event_store.events set data = replace(data::text, '"amount":100', '"amount":1100')::json
        where type = 'CreditsPurchased';
      update live.ledger set amount = 1100, credits_delta = 1100 where kind = 'pack'; commit`);
    const { findings, holds } = await whole.audit({ readers: readers() });
    expect(findings).toEqual([expect.objectContaining({ check: 'seals', stream: account, revision: 1 })]);
    expect(holds).toBe(false);
    expect((await whole.audit()).findings).toEqual([]);
  });
});
