import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ApiService, type Tenant } from '../../../test/api/support/api-service.js';
import { expectError } from '../../../test/api/support/api-client.js';
import { aPicture } from '../../../test/api/support/made-pictures.js';
import { eventually } from '../../../test/support/eventually.js';
import { untilEnd } from '../../../test/support/until-end.js';
import { ReusedUploads } from '../keeping/reused-uploads.js';
import { startErasing } from './support/erasing.js';

const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const service = untilEnd(await ApiService.start({ projector: false }));
const erasing = await startErasing(service, pem);
untilEnd({ [Symbol.asyncDispose]: erasing.stop });
const keeping = { usual: { uploads: 10 }, most: {}, warningDays: 0 };
const { app, client: api } = await service.openApp(undefined, { keeping });
const newTenant = () =>
  service.openTenant({ credits: 100, capabilities: ['jobs:create', 'jobs:read', 'data:erase'] });

async function upload({ key }: Tenant, bytes: Uint8Array): Promise<{ id: string; known: boolean }> {
  const form = new FormData();
  form.append('reuse', 'true');
  form.append('data_subject', 'anna');
  form.append('file', new Blob([new Uint8Array(bytes)]), 'p.png');
  const { body } = await api.call('POST', '/v1/uploads', { key, body: form });
  return { id: body.asset_id as string, known: body.already_there as boolean };
}

describe('an upload that was sent before', () => {
  it('never comes back once its erasure is ordered, and the answer does not tell that it was there', async () => {
    const tenant = await newTenant();
    const bytes = await aPicture();
    const seen = new Set<string>();
    for (const _ of [1, 2, 3]) {
      const { id, known } = await upload(tenant, bytes);
      expect({ known, isNew: !seen.has(id) }).toEqual({ known: false, isNew: true });
      seen.add(id);
      expect((await api.call('DELETE', `/v1/uploads/${id}`, { key: tenant.key })).status).toBe(202);
    }
    const [first] = seen;
    await eventually(async () =>
      expectError(await api.get(`/v1/uploads/${first}`, tenant.key), 410, 'PICTURE_ERASED'),
    );
  });

  it('is given again once other erasures of the tenant are over', async () => {
    const tenant = await newTenant();
    const [kept, erased] = [await aPicture(), await aPicture()];
    const first = await upload(tenant, kept);
    const other = await upload(tenant, erased);
    const ordered = await api.call('DELETE', `/v1/uploads/${other.id}`, { key: tenant.key });
    await eventually(async () => {
      const { body } = await api.get(`/v1/erasures/${ordered.body.erasure_id}`, tenant.key);
      expect(body).toMatchObject({ status: 'completed' });
    });
    expect(await upload(tenant, kept)).toEqual({ id: first.id, known: true });
  });

  it('is given again while half of its time is left, by the rule of the tenant', async () => {
    const tenant = await newTenant();
    const check = app.get(ReusedUploads, { strict: false });
    const storedAt = new Date();
    const after = (days: number) =>
      check.mayReuse({
        environment: 'live',
        tenant: tenant.id,
        storedAt,
        at: new Date(storedAt.getTime() + days * 24 * 60 * 60_000),
      });
    expect([await after(4.9), await after(5.1)]).toEqual([true, false]);
    await api.call('PATCH', '/v1/retention', { key: tenant.key, json: { uploads: 4 } });
    expect([await after(1.9), await after(2.1)]).toEqual([true, false]);
  });
});
