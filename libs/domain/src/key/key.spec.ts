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
    given(key, [])
      .when((state) => issueKey(grant, state))
      .then(issued);
    given(key, [issued])
      .when((state) => issueKey(grant, state))
      .thenRejected({ code: 'KEY_EXISTS' });
  });

  it('is revoked once, and never comes back', () => {
    given(key, [issued])
      .when((state) => revokeKey({ reason: 'leaked', at }, state))
      .then(revoked);
    given(key, [issued, revoked])
      .when((state) => revokeKey({ reason: 'again', at }, state))
      .then();
    given(key, [])
      .when((state) => revokeKey({ reason: 'leaked', at }, state))
      .thenRejected({ code: 'KEY_NOT_FOUND' });
  });

  it('is rotated once, and not after it was revoked', () => {
    const rotation = { retiresAt: '2026-06-02T12:00:00.000Z', successorKeyId: 'k2', at };
    const retired: KeyEvent = { type: 'ApiKeyRetired', data: rotation };
    given(key, [issued])
      .when((state) => retireKey(rotation, state))
      .then(retired);
    given(key, [issued, retired])
      .when((state) => retireKey(rotation, state))
      .then();
    given(key, [issued, retired])
      .when((state) => retireKey({ ...rotation, successorKeyId: 'k3' }, state))
      .thenRejected({ code: 'KEY_ROTATED', successorKeyId: 'k2' });
    given(key, [issued, revoked])
      .when((state) => retireKey(rotation, state))
      .thenRejected({ code: 'KEY_REVOKED' });
    given(key, [])
      .when((state) => retireKey(rotation, state))
      .thenRejected({ code: 'KEY_NOT_FOUND' });
  });

  it('can be revoked while it retires', () => {
    const retired: KeyEvent = {
      type: 'ApiKeyRetired',
      data: { retiresAt: '2026-06-02T12:00:00.000Z', successorKeyId: 'k2', at },
    };
    given(key, [issued, retired])
      .when((state) => revokeKey({ reason: 'leaked', at }, state))
      .then(revoked);
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

  it('is stored once and never changes', () => {
    const asset = { initial: initialAsset, evolve: evolveAsset };
    const event: AssetEvent = { type: 'AssetStored', data: stored };
    given(asset, [])
      .when((state) => storeAsset(stored, state))
      .then(event);
    given(asset, [event])
      .when((state) => storeAsset({ ...stored, sha256: 'other' }, state))
      .then();
  });

  it('is retired once, and for its owner only', () => {
    const asset = { initial: initialAsset, evolve: evolveAsset };
    const event: AssetEvent = { type: 'AssetStored', data: stored };
    const retirement = { assetId: 'a1', tenant: 'acme', reason: 'dated', at };
    const retired: AssetEvent = { type: 'CatalogEntryRetired', data: retirement };
    given(asset, [event])
      .when((state) => retireEntry(retirement, state))
      .then(retired);
    given(asset, [event, retired])
      .when((state) => retireEntry(retirement, state))
      .then();
    given(asset, [event])
      .when((state) => retireEntry({ ...retirement, tenant: 'rival' }, state))
      .thenRejected({ code: 'ENTRY_NOT_FOUND' });
    given(asset, [])
      .when((state) => retireEntry(retirement, state))
      .thenRejected({ code: 'ENTRY_NOT_FOUND' });
  });
});
