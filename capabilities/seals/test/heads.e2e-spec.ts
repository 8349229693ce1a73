import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KeptHeads, type Head } from '../kept-heads.js';
import { readChainEnd } from '../seal.js';
import { testMasterKey, testSigningKey } from '../../../test/support/signing-key.js';
import { newSealKey, readSealKey } from '../seal.key.js';
import { FolderStorage } from '#storage/folder/folder-storage.js';
import { S3Storage } from '#storage/s3/s3-storage.js';
import { S3Peer } from '../../../test/support/s3-peer.js';
import { House } from '../../../test/restore/house.js';
import { runCommand } from '../../../test/support/command.js';
import { eventually } from '../../../test/support/eventually.js';
import { sealAll, sealKey } from './support/sealing.js';
import {
  copyTestDatabase,
  createTestDatabase,
  type TestDatabase,
} from '../../../test/support/test-database.js';

const template = {
  name: 'attacks',
  prepare: (url: string) => House.migrate({ eventStoreUrl: url, databaseUrl: url }),
};

/**
 * A service that keeps its heads in the folder of its pictures, and whose database is put back to an earlier
 * time.
 */
describe('the head of the seals outside the database', () => {
  const folder = mkdtempSync(join(tmpdir(), 'atelier-heads-'));
  const objects = join(folder, 'objects');
  const keyFile = join(folder, 'seal-key.pem');
  const databases: TestDatabase[] = [];
  const pem = newSealKey();
  const sealing = { key: readSealKey(pem), keepIn: ['objects'] as const };
  const headFolder = () => join(objects, 'seals', `key-${sealing.key.publicKey}`);
  const heads = () => readdirSync(headFolder()).sort();
  let older: TestDatabase;
  let newer: TestDatabase;
  let tenant: string;

  beforeAll(async () => {
    mkdirSync(objects);
    writeFileSync(keyFile, pem);
    newer = await kept(createTestDatabase({ template }));
    await using house = await open(newer);
    await house.startProjector();
    ({ tenant } = await house.customer(100));
    await sealed(house);
    await eventually(() => heads().length === 1);
  });
  afterAll(async () => {
    for (const database of databases) await database.drop();
    rmSync(folder, { recursive: true });
  });

  async function kept(database: Promise<TestDatabase>): Promise<TestDatabase> {
    databases.push(await database);
    return database;
  }

  const open = ({ url }: TestDatabase) =>
    House.open({ eventStoreUrl: url, databaseUrl: url }, objects, { sealing });

  /** Waits until every event has its seal. */
  const sealed = async ({ events: { store } }: House) =>
    eventually(async () => {
      const { seal } = await readChainEnd(store);
      const slice = seal && (await store.readStream(seal.last.stream, { from: BigInt(seal.last.revision) }));
      const last = await store.readAll({ filter: { streamPrefixes: ['live.', 'test.'] } });
      return slice?.kind === 'found' && slice.events[0]?.position === last.at(-1)?.position;
    });

  function atelier({ url }: TestDatabase, ...args: string[]) {
    const env = {
      DATABASE_URL: url,
      URL_SIGNING_SECRET: 'x',
      ATELIER_HOME: folder,
      PUBLIC_URL: 'http://127.0.0.1:9',
      ATELIER_SEAL_KEY_FILE: keyFile,
      ATELIER_SIGNING_KEY: testSigningKey,
      ATELIER_MASTER_KEY: testMasterKey,
    };
    return runCommand(args, folder, { env });
  }

  it('is kept when a projector stops, and the next one goes on after it', async () => {
    older = await kept(copyTestDatabase(newer));
    await using house = await open(newer);
    const projector = await house.startProjector();
    await house.grow(tenant, 2);
    await sealed(house);
    await house.caughtUp();
    await projector.stop();
    expect(projector.standingStill()).toEqual([]);
    expect(heads()).toEqual(['head-0000000001.json', 'head-0000000002.json']);
    const { stdout, code } = await atelier(newer, 'ledger', 'audit', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ findings: [], holds: true, kept_head: { accepted: null } });
    expect(code).toBe(0);
  });

  it('stops the sealing of a log that ends before it, until an operator has accepted that', async () => {
    const before = heads().map((name) => readFileSync(join(headFolder(), name), 'utf8'));
    const put = await kept(copyTestDatabase(older));
    {
      await using house = await open(put);
      const projector = await house.startProjector();
      await house.grow(tenant, 1);
      await eventually(() => projector.standingStill().includes('seals'));
      expect(projector.standingStill()).toEqual(['seals']);
    }
    expect(heads().map((name) => readFileSync(join(headFolder(), name), 'utf8'))).toEqual(before);

    const doctor = JSON.parse((await atelier(put, 'doctor', '--json')).stdout) as {
      checks: { name: string; ok: boolean; detail: string }[];
    };
    expect(doctor.checks.find(({ name }) => name === 'head of the seals')).toMatchObject({
      ok: false,
      detail: expect.stringMatching(
        /^seal \d+ of chain .* is kept outside the database, and the log ends with seal 1/,
      ),
    });
    const audit = await atelier(put, 'ledger', 'audit');
    expect(audit.code).toBe(1);
    expect(audit.stdout).toMatch(/seal \d+ of chain .* was kept, and is not in the log/);

    const accepted = await atelier(
      put,
      'seal',
      'accept',
      '--reason',
      'the backup of noon was restored',
      '--json',
    );
    expect(accepted).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(accepted.stdout)).toMatchObject({ goes_on_after: 1, head: 3 });
    await using house = await open(put);
    const projector = await house.startProjector();
    await sealed(house);
    await house.caughtUp();
    await projector.stop();
    expect(projector.standingStill()).toEqual([]);
    expect(heads()).toHaveLength(4);
    const { actions } = JSON.parse(
      (await atelier(put, 'actions', '--action', 'seal accept', '--json')).stdout,
    ) as {
      actions: unknown;
    };
    expect(actions).toMatchObject([
      { action: 'seal accept', input: { reason: 'the backup of noon was restored' } },
    ]);
    expect(JSON.parse((await atelier(put, 'ledger', 'audit', '--json')).stdout)).toMatchObject({
      holds: true,
    });
    expect(await atelier(put, 'seal', 'accept', '--reason', 'again')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is nothing to accept'),
    });
  });
});

describe.each([
  ['a folder', () => folderStorage()],
  ['object storage', () => bucket()],
])('heads in %s', (_, open) => {
  it('are written once, by however many at a time, and found among many with few reads', async () => {
    await using place = await open();
    let reads = 0;
    const counted = {
      get: (key: string) => (reads++, place.storage.get(key)),
      create: place.storage.create.bind(place.storage),
    };
    const [head, other] = await twoHeads();
    const writers = Array.from({ length: 8 }, (_, n) => ({ n, heads: new KeptHeads(counted, 'x') }));
    const answers = await Promise.all(
      writers.map(({ n, heads }) => heads.add(1, n % 2 === 0 ? head : other)),
    );
    const won = (await new KeptHeads(counted, 'x').newest())!;
    expect(won.place).toBe(1);
    // Any process may write the same content again; other content is refused.
    expect(answers).toEqual(
      writers.map(({ n }) => (n % 2 === 0 ? head : other).seal!.number === won.seal!.number),
    );
    for (let n = 2; n <= 200; n++) await writers[0]!.heads.add(n, head);
    reads = 0;
    expect(await new KeptHeads(counted, 'x').newest()).toMatchObject({ place: 200 });
    expect(reads).toBeLessThan(20);
  });

  it('are refused when they were altered', async () => {
    await using place = await open();
    const [head] = await twoHeads();
    const altered = { ...head, seal: { ...head.seal!, number: head.seal!.number + 1 } };
    await new KeptHeads(place.storage, 'x').add(1, altered);
    const reading = new KeptHeads(place.storage, 'x').newest();
    await expect(reading).rejects.toThrow("is not a head of this key's seals");
  });

  it('are kept where the answer to the write was lost', async () => {
    await using place = await open();
    const [head] = await twoHeads();
    place.loseAnAnswer?.();
    expect(await new KeptHeads(place.storage, 'x').add(1, head)).toBe(true);
    expect(await new KeptHeads(place.storage, 'x').newest()).toEqual({ ...head, place: 1 });
  });
});

/** Two seals of one chain. */
async function twoHeads(): Promise<[Head, Head]> {
  const database = await createTestDatabase({ template });
  try {
    await using house = await House.open(
      { eventStoreUrl: database.url, databaseUrl: database.url },
      tmpdir(),
    );
    await house.customer(1);
    const [first, second] = await sealAll(house.events.store, { key: sealKey, batchSize: 1 });
    const headOf = ({ leaves: _, ...seal }: NonNullable<typeof first>): Head => ({
      format: 'atelier head 1',
      seal,
      accepted: null,
    });
    return [headOf(first!), headOf(second!)];
  } finally {
    await database.drop();
  }
}

interface Place extends AsyncDisposable {
  readonly storage: FolderStorage | S3Storage;
  loseAnAnswer?(): void;
}

function folderStorage(): Promise<Place> {
  const directory = mkdtempSync(join(tmpdir(), 'atelier-heads-'));
  const storage = new FolderStorage({ directory, signingSecret: 'x', publicUrl: 'http://x' });
  return Promise.resolve({
    storage,
    [Symbol.asyncDispose]: () => Promise.resolve(rmSync(directory, { recursive: true })),
  });
}

async function bucket(): Promise<Place> {
  const peer = await S3Peer.start();
  const storage = new S3Storage(peer.options);
  return {
    storage,
    loseAnAnswer: () => (peer.lostAnswers = 1),
    async [Symbol.asyncDispose]() {
      storage.close();
      await peer.stop();
    },
  };
}
