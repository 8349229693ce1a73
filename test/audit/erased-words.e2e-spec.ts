import { describe, expect, it } from 'vitest';
import { erasedText } from '#domain/erased.js';
import { openEventStore } from '#event-store/open-event-store.js';
import { canonicalJson } from '#event-store/walk-log.js';
import { uploadPicture } from '../api/support/made-pictures.js';
import { openWorld } from '../api/support/world.js';
import { verbsOn } from '../cli/support/verbs.js';
import { eventually } from '../support/eventually.js';
import { testKeys, testMasterKey } from '../support/signing-key.js';
import { wholeLog } from '#read-store/testing/rows-of-history.js';

const { service, api, tenant } = await openWorld({ credits: 50 });
const verbs = verbsOn({ databaseUrl: service.databaseUrl, folder: service.folder });
const urls = { eventStoreUrl: service.databaseUrl, databaseUrl: service.databaseUrl };

/** A name that stands nowhere by accident. */
const person = 'Annabel Quistgaard';
const { assetId } = await uploadPicture(api, tenant);
const product = await api.post('/v1/products', tenant.key, {
  upload_asset_public_id: assetId,
  title: `${person} in red`,
});
const job = await api.post('/v1/model-generator', tenant.key, { seed: 7, metadata: { shot_of: person } });

const titleShown = async () => {
  const { body } = await api.get(`/v1/products/${product.body.public_id}`, tenant.key);
  return body.title as string;
};

/** The texts under which the log is signed and copied. */
const canonical = async () => {
  await using opened = await openEventStore(urls);
  return (await wholeLog(opened.store)).map(canonicalJson);
};

// In the order of a life: each test goes on from the one before.
describe('personal words of a service', () => {
  it('are shown to their owner, and stand in no event and no export', async () => {
    expect([product.status, job.status]).toEqual([201, 202]);
    await eventually(async () => (await titleShown()) === `${person} in red`);
    expect((await canonical()).filter((text) => text.includes(person))).toEqual([]);
    const withoutMaster = { ATELIER_MASTER_KEY: '' };
    const { code, stdout } = await verbs.run(['events', 'export'], withoutMaster);
    expect(code).toBe(0);
    expect(stdout).toContain('ProductRegistered');
    expect(stdout).not.toContain(person);
  });

  it('need the master key of the service', async () => {
    const withoutMaster = { ATELIER_MASTER_KEY: '' };
    expect(await verbs.complaint(['tenants', 'show', tenant.id], withoutMaster)).toContain(
      'ATELIER_MASTER_KEY is not set',
    );
  });

  it('follow the master key to the next one', async () => {
    const next = { ATELIER_MASTER_KEY: 'the next master key of this test and long enough' };
    const both = { ...next, ATELIER_ACCEPTED_MASTER_KEYS: testMasterKey };
    expect((await verbs.json(['events', 'rewrap-keys'], both)).rewrapped).toBeGreaterThan(0);
    expect(await verbs.json(['tenants', 'show', tenant.id], next)).toMatchObject({ name: 'Tenant' });
    const back = { ATELIER_ACCEPTED_MASTER_KEYS: next.ATELIER_MASTER_KEY };
    expect((await verbs.json(['events', 'rewrap-keys'], back)).rewrapped).toBeGreaterThan(0);
    expect(await verbs.json(['events', 'rewrap-keys'])).toEqual({ rewrapped: 0 });
  });

  it('are gone with their key: a rebuild erases them, the audit holds, and what is signed stays', async () => {
    const before = await canonical();
    expect(await verbs.json(['ledger', 'audit'])).toMatchObject({ holds: true });
    await using opened = await openEventStore(urls, testKeys);
    await opened.keys!.destroy({ environment: 'live', tenant: tenant.id });

    const rebuild = ['projections', 'rebuild', '--all', '--env', 'live', '--accept-differences'];
    expect(await verbs.json(rebuild)).toMatchObject({ ok: true });
    await eventually(async () => (await titleShown()) === erasedText);
    expect(await verbs.json(['ledger', 'audit'])).toMatchObject({ holds: true, findings: [] });
    expect((await canonical()).slice(0, before.length)).toEqual(before);
    const { body } = await api.get('/v1/credits', tenant.key);
    expect(body.balance).toBe(45);
  });
});
