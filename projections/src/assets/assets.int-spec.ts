import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Repository } from 'typeorm';
import type { EventOfType } from '#domain/events.js';
import { foldRow } from '#read-store/read-model.js';
import { inStream } from '../testing/stories.js';
import { startReadSide, type ReadSide } from '../testing/read-side.js';
import { AssetRow, assetsReadModel } from './assets.read-model.js';

let side: ReadSide;
let assets: Repository<AssetRow>;

const stored: EventOfType<'AssetStored'> = {
  type: 'AssetStored',
  data: {
    assetId: 'A1',
    tenant: 'acme',
    storageKey: 'live/acme/uploads/A1.png',
    contentType: 'image/png',
    width: 800,
    height: 600,
    sizeBytes: 26_214_400,
    sha256: 'ab'.repeat(32),
    origin: 'upload',
    jobId: null,
    at: '2026-06-01T12:00:00.123Z',
  },
};
const { at: storedAt, ...data } = stored.data;
const row = { ...data, createdAt: new Date(storedAt) };

beforeAll(async () => {
  side = await startReadSide();
  assets = side.dataSource.getRepository(AssetRow);
  await side.fixture.append('asset', 'A1', [stored], { tenant: 'acme' });
  await side.fixture.passed((await side.fixture.store.head())!);
});

afterAll(() => side.dispose());

describe('the stored pictures', () => {
  it('finds a picture by its id and by its upload key', async () => {
    expect(await assets.findOneBy({ tenant: 'acme', assetId: 'A1' })).toEqual(row);
    expect(await assets.findOneBy({ tenant: 'acme', storageKey: 'live/acme/uploads/A1.png' })).toEqual(row);
  });

  it("does not know another tenant's", async () => {
    expect(await assets.findOneBy({ tenant: 'rival', assetId: 'A1' })).toBeNull();
    expect(await assets.findOneBy({ tenant: 'rival', storageKey: 'live/acme/uploads/A1.png' })).toBeNull();
  });

  it('gives the row that the stream itself folds into', () => {
    expect(foldRow(assetsReadModel, inStream('asset', 'A1', [stored]))).toEqual(row);
    expect(foldRow(assetsReadModel, [])).toBeUndefined();
  });
});
