import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DomainEvent } from '#domain/events.js';
import { CallsReader } from '#projections/readers.js';
import { startReadSide, type ReadSide } from '#projections/testing/read-side.js';
import { cancelled, queued, renderStarted } from '#projections/testing/stories.js';
import { ObjectNotFound, type ObjectStorage } from '#storage/object-storage.js';
import { FolderStorage } from '#storage/folder/folder-storage.js';
import { ReadModels, type EnvironmentReads } from '../read-models.js';
import { answerKey, KeptAnswers } from './kept-answers.js';

const day = 24 * 60 * 60_000;
const began = Date.parse('2026-06-01T12:00:00.000Z');
/** One more than a page. */
const calls = 501;

let side: ReadSide;
let folder: string;

beforeAll(async () => {
  side = await startReadSide();
  folder = await mkdtemp(join(tmpdir(), 'atelier-kept-'));
});
afterAll(async () => {
  await side.dispose();
  await rm(folder, { recursive: true });
});

/** A call with one stored picture, answered `afterMs` after the first one. */
function kept(call: string, afterMs: number): DomainEvent[] {
  const at = new Date(began + afterMs).toISOString();
  const asked = { step: 's', model: 'm', vendor: 'v', attempt: 1, idempotencyKey: call };
  const cost = { latencyMs: 1, units: 1, price: 0.1, currency: 'USD' };
  const pictures = [{ storageKey: `key of ${call}`, sha256: 'ab' }];
  return [
    { type: 'EngineCalled', data: { call, ...asked, tenant: 't', operation: 'look', at } },
    {
      type: 'EngineAnswered',
      data: { call, outcome: 'answered', vendorRequestId: null, ...cost, kept: { pictures }, at },
    },
  ];
}

describe('answers of vendors that are kept', () => {
  it('are forgotten page by page, so that none is left behind a full page', async () => {
    const storage: ObjectStorage = new FolderStorage({
      directory: folder,
      signingSecret: 'x',
      publicUrl: 'http://127.0.0.1',
    });
    const asked = Array.from({ length: calls }, (_, index) => kept(`s.${index}`, index)).flat();
    await side.fixture.append('job', 'j', [queued('j', 't'), renderStarted, ...asked, cancelled], {
      tenant: 't',
    });
    await side.fixture.passed((await side.fixture.store.head())!);
    const last = answerKey('live', { tenant: 't', jobId: 'j', call: `s.${calls - 1}` }, 0);
    await storage.put(last, Buffer.from('answer'), 'image/png');
    const reads: ReadModels = {
      of: () => ({ calls: new CallsReader(side.dataSource) }) as unknown as EnvironmentReads,
    };
    const answers = new KeptAnswers(reads, storage);
    const now = new Date(began + 2 * day);
    expect(await answers.forget('live', now)).toBe(500);
    expect(await storage.get(last)).toEqual(Buffer.from('answer'));
    // The last call of the previous page is read again: others may have the same millisecond.
    expect(await answers.forget('live', now)).toBe(2);
    await expect(storage.get(last)).rejects.toThrow(ObjectNotFound);
  });
});
