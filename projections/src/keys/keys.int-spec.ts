import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventOfType } from '#domain/events.js';
import { at } from '../testing/stories.js';
import { startReadSide, type ReadSide } from '../testing/read-side.js';
import { KeysReader } from '../readers.js';

let side: ReadSide;
let keys: KeysReader;

function issued(keyId: string, tenant: string, second: number): EventOfType<'ApiKeyIssued'> {
  return {
    type: 'ApiKeyIssued',
    data: {
      keyId,
      tenant,
      environment: 'live',
      capabilities: ['jobs:create', 'jobs:read'],
      label: 'shop',
      secretHash: 'ef'.repeat(32),
      at: at(second),
    },
  };
}

beforeAll(async () => {
  side = await startReadSide();
  keys = new KeysReader(side.dataSource);
  const { fixture } = side;
  await fixture.append('key', 'K1', [issued('K1', 'acme', 1)]);
  await fixture.append('key', 'K2', [
    issued('K2', 'acme', 2),
    { type: 'ApiKeyRevoked', data: { reason: 'leaked', at: at(9) } },
  ]);
  await fixture.append('key', 'K3', [
    issued('K3', 'acme', 3),
    { type: 'ApiKeyRetired', data: { retiresAt: at(30), successorKeyId: 'K4', at: at(9) } },
  ]);
  await fixture.append('key', 'X1', [issued('X1', 'rival', 3)]);
  await fixture.passed((await fixture.store.head())!);
});

afterAll(() => side.dispose());

describe('the keys reader', () => {
  it("lists a tenant's own keys, newest first, those that retire or are revoked included", async () => {
    const common = { tenant: 'acme', capabilities: ['jobs:create', 'jobs:read'], label: 'shop' };
    expect(await keys.list('acme')).toEqual([
      { ...common, keyId: 'K3', issuedAt: new Date(at(3)), revokedAt: null, retiresAt: new Date(at(30)) },
      { ...common, keyId: 'K2', issuedAt: new Date(at(2)), revokedAt: new Date(at(9)), retiresAt: null },
      { ...common, keyId: 'K1', issuedAt: new Date(at(1)), revokedAt: null, retiresAt: null },
    ]);
  });

  it('never holds the hash of a secret', async () => {
    const rows = await side.fixture.rows('select * from live.keys');
    expect(JSON.stringify(rows)).not.toContain('efef');
  });
});
