import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createLogger } from '#platform/logger.js';
import { FolderStorage } from '#storage/folder/folder-storage.js';
import { eventually } from '../../test/support/eventually.js';
import { HeadKeeper } from './head-keeper.js';
import { KeptHeads } from './kept-heads.js';
import { sealAlone, sealOf } from './seal.js';
import { sealKey } from './test/support/sealing.js';

it('keeps the head again that the storage did not take, without another seal', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'atelier-heads-'));
  const storage = new FolderStorage({ directory, signingSecret: 'x', publicUrl: 'http://127.0.0.1' });
  let tries = 0;
  const awayAtFirst = {
    get: (key: string) => storage.get(key),
    create: (key: string, bytes: Uint8Array) =>
      ++tries === 1 ? Promise.reject(new Error('away')) : storage.create(key, bytes),
  };
  const heads = new KeptHeads(awayAtFirst, sealKey.publicKey);
  const place = { stream: 'live.job-A', revision: 0, id: 'E' };
  const range = { first: place, last: place, leaves: [Buffer.alloc(32)] };
  const seal = sealAlone(
    sealOf(range, { seal: undefined, source: undefined }, { key: sealKey, chain: 'c', at: new Date(0) }),
  );
  const logger = createLogger('test', 'silent');
  const requireNewest = () => Promise.reject(new Error('no other process keeps heads'));
  const keeper = new HeadKeeper({ heads, requireNewest, everyMs: 1, logger });
  const ending = new AbortController();
  keeper.offer(seal);
  const running = keeper.run(ending.signal);
  try {
    const kept = await eventually(async () => (await heads.newest()) ?? false);
    expect(kept).toEqual({ format: 'atelier head 1', seal, accepted: null, place: 1 });
    expect(tries).toBe(2);
  } finally {
    ending.abort();
    await running;
    await rm(directory, { recursive: true });
  }
});
