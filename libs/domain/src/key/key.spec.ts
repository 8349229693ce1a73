import { describe, it } from 'vitest';
import { given } from '../../../../test/support/given.js';
import { evolveAsset, initialAsset, retireEntry, storeAsset, type StoredAsset } from '../asset/asset.js';
import type { AssetEvent } from '../asset/asset.events.js';
import { evolveKey, initialKey, issueKey, retireKey, revokeKey, type IssuedKey } from './key.js';
import type { KeyEvent } from './key.events.js';

const at = '2026-06-01T12:00:00.000Z';
const key = { initial: initialKey, evolve: evolveKey };
const grant: IssuedKey = {
  keyId: 'k1',
  tenant: 'acme',
  environment: 'test',
  capabilities: ['jobs:create'],
  label: '',
  secretHash: 'ab',
  at,
};
const issued: KeyEvent = { type: 'ApiKeyIssued', data: grant };
const revoked: KeyEvent = { type: 'ApiKeyRevoked', data: { reason: 'leaked', at } };

describe('an API key', () => {
  it('is issued once', () => {
    given(key, []).when(issueKey, grant).then(issued);
    given(key, [issued]).when(issueKey, grant).thenRejected({ code: 'KEY_EXISTS' });
  });

  it('is revoked once, and never comes back', () => {
    given(key, [issued]).when(revokeKey, { reason: 'leaked', at }).then(revoked);
    given(key, [issued, revoked]).when(revokeKey, { reason: 'again', at }).then();
    given(key, []).when(revokeKey, { reason: 'leaked', at }).thenRejected({ code: 'KEY_NOT_FOUND' });
  });

  const rotation = { retiresAt: '2026-06-02T12:00:00.000Z', successorKeyId: 'k2', at };
  const retired: KeyEvent = { type: 'ApiKeyRetired', data: rotation };

  it('is rotated once, and not after it was revoked', () => {
    given(key, [issued]).when(retireKey, rotation).then(retired);
    given(key, [issued, retired]).when(retireKey, rotation).then();
    given(key, [issued, retired])
      .when(retireKey, { ...rotation, successorKeyId: 'k3' })
      .thenRejected({ code: 'KEY_ROTATED', successorKeyId: 'k2' });
    given(key, [issued, revoked]).when(retireKey, rotation).thenRejected({ code: 'KEY_REVOKED' });
    given(key, []).when(retireKey, rotation).thenRejected({ code: 'KEY_NOT_FOUND' });
  });

  it('can be revoked while it retires', () => {
    given(key, [issued, retired]).when(revokeKey, revoked.data).then(revoked);
  });
});

describe('an asset', () => {
  const stored: StoredAsset = {
    assetId: 'a1',
    tenant: 'acme',
    storageKey: 'test/acme/uploads/a1.png',
    contentType: 'image/png',
    width: 1,
    height: 1,
    sizeBytes: 1,
    sha256: 'ab',
    origin: 'upload',
    jobId: null,
    at,
  };

  const asset = { initial: initialAsset, evolve: evolveAsset };
  const event: AssetEvent = { type: 'AssetStored', data: stored };

  it('is stored once and never changes', () => {
    given(asset, []).when(storeAsset, stored).then(event);
    given(asset, [event])
      .when(storeAsset, { ...stored, sha256: 'other' })
      .then();
  });

  it('is retired once, and for its owner only', () => {
    const retirement = { assetId: 'a1', tenant: 'acme', reason: 'dated', at };
    const retired: AssetEvent = { type: 'CatalogEntryRetired', data: retirement };
    given(asset, [event]).when(retireEntry, retirement).then(retired);
    given(asset, [event, retired]).when(retireEntry, retirement).then();
    given(asset, [event])
      .when(retireEntry, { ...retirement, tenant: 'rival' })
      .thenRejected({ code: 'ENTRY_NOT_FOUND' });
    given(asset, []).when(retireEntry, retirement).thenRejected({ code: 'ENTRY_NOT_FOUND' });
  });
});
