import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { newId } from '#platform/ids.js';
import { AdminService } from '../../../test/admin/support.js';
import { ApiService } from '../../../test/api/support/api-service.js';
import { expectError, type Json } from '../../../test/api/support/api-client.js';
import { aPictureWithStore, uploadPicture } from '../../../test/api/support/made-pictures.js';
import { verbsOn } from '../../../test/cli/support/verbs.js';
import { expectAuditToHold } from '../../../test/support/audited.js';
import { eventually } from '../../../test/support/eventually.js';
import { untilEnd } from '../../../test/support/until-end.js';
import { startErasing } from './support/erasing.js';

const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const service = untilEnd(await ApiService.start({ projector: false }));
const erasing = await startErasing(service, pem);
untilEnd({ [Symbol.asyncDispose]: () => erasing.stop() });
const api = await service.openApi();
const admin = untilEnd(await AdminService.start(service.databaseUrl));
const token = await admin.token('ada', 'support');
const tenant = await service.openTenant({ credits: 50 });
const person = 'Zoë Quistgaard / 4711%';

async function uploadOf(name: string): Promise<string> {
  const form = new FormData();
  form.append('data_subject', name);
  form.append(
    'file',
    new Blob([new Uint8Array(await aPictureWithStore(100))], { type: 'image/png' }),
    'p.png',
  );
  return (await api.call('POST', '/v1/uploads', { key: tenant.key, body: form })).body.asset_id as string;
}

const order = (body: object, headers = {}) =>
  admin.ask(`POST /tenants/${tenant.id}/erasures`, token, { env: 'live', ...body }, headers);
/** A refusal of the operators' API. */
const refused = (status: number, code: string) => ({ status, body: { error: { code } } });
const show = async (id: string): Promise<Json> => (await admin.ask(`GET /erasures/${id}`, token)).body;
const list = async (query = ''): Promise<Json> =>
  (await admin.ask(`GET /tenants/${tenant.id}/erasures${query}`, token)).body;

describe('an operator', { timeout: 300_000 }, () => {
  it('erases all that belongs to a person, and the receipt names the operator', async () => {
    const mine = await uploadOf(person);
    const others = await uploadOf('Ben');
    const named = { kind: 'person', name: person, derived: true };
    const { body: counted } = await order({ ...named, dry_run: true });
    expect(counted).toMatchObject({ erasure_id: null, more: false, size: { pictures: 1, jobs: 0 } });
    expect((await list()).total).toBe(0);

    const headers = { 'idempotency-key': 'ticket-17' };
    const { body: begun } = await order(named, headers);
    const erasure = await eventually(async () => {
      const shown = await show(begun.erasure_id as string);
      return shown.status === 'completed' && shown;
    });
    expect(erasure).toMatchObject({
      tenant_id: tenant.id,
      by: 'operator:ada',
      receipt: { by: 'operator:ada', erased: { pictures: [mine] }, signature: expect.any(String) },
    });
    expectError(await api.get(`/v1/uploads/${mine}`, tenant.key), 410, 'PICTURE_ERASED');
    expect((await api.get(`/v1/uploads/${others}`, tenant.key)).status).toBe(200);
    // The tenant sees it as well.
    expect((await api.get(`/v1/erasures/${begun.erasure_id}`, tenant.key)).status).toBe(200);
    expect(await order(named)).toMatchObject(refused(404, 'RESOURCE_NOT_FOUND'));
    const { body: history } = await admin.ask('GET /actions?action=erasures%20request', token);
    expect(history.actions.map(({ summary }: Json) => summary)).toContain(`erasure ${begun.erasure_id}`);
    expect(JSON.stringify(history)).not.toContain('Quistgaard');
    await expectAuditToHold(service);
  });

  it('lists the erasures of a tenant, the latest first, and a repeat begins none', async () => {
    const { assetId } = await uploadPicture(api, tenant);
    const headers = { 'idempotency-key': 'ticket-18' };
    const asked = { kind: 'upload', name: assetId };
    const { body: begun } = await order(asked, headers);
    expect((await order(asked, headers)).body).toEqual(begun);
    const { erasures, total } = await list();
    expect(total).toBe(2);
    expect(erasures[0]).toMatchObject({ erasure_id: begun.erasure_id, targets: 1, by: 'operator:ada' });
    await eventually(async () => (await list()).erasures[0].status === 'completed');
    expect((await list('?limit=1&offset=1')).erasures).toMatchObject([
      { erasure_id: erasures[1].erasure_id },
    ]);
    expect((await list('?env=test')).total).toBe(0);
  });

  it('reaches nothing that is not there, and nothing of another tenant', async () => {
    const stranger = await service.openTenant({ credits: 10 });
    const { assetId } = await uploadPicture(api, stranger);
    for (const [kind, name] of [
      ['upload', assetId],
      ['upload', 'no id'],
      ['render', newId()],
      ['job', newId()],
      ['product', newId()],
      ['person', 'nobody'],
    ] as const) {
      expect(await order({ kind, name })).toMatchObject(refused(404, 'RESOURCE_NOT_FOUND'));
      expect(await order({ kind, name, dry_run: true })).toMatchObject(refused(404, 'RESOURCE_NOT_FOUND'));
    }
    expect(await admin.ask(`GET /erasures/${newId()}`, token)).toMatchObject(
      refused(404, 'RESOURCE_NOT_FOUND'),
    );
    expect((await api.get(`/v1/uploads/${assetId}`, stranger.key)).status).toBe(200);
  });

  it('does the same by command', async () => {
    const { assetId } = await uploadPicture(api, tenant);
    const { json } = verbsOn(service, { ATELIER_OPERATOR: 'root' });
    const of = ['--tenant', tenant.id, '--env', 'live'];
    const counted = await json(['erasures', 'request', 'upload', assetId, ...of, '--dry-run']);
    expect(counted).toMatchObject({ size: { pictures: 1 } });
    const { erasure_id: id } = await json(['erasures', 'request', 'upload', assetId, ...of]);
    const shown = await eventually(async () => {
      const erasure = await json(['erasures', 'show', id as string]);
      return erasure.status === 'completed' && erasure;
    });
    expect(shown).toMatchObject({ by: 'command:root' });
    const listed = await json(['erasures', 'list', '--tenant', tenant.id, '--limit', '1']);
    expect(listed.erasures).toMatchObject([{ erasure_id: id, status: 'completed' }]);
  });
});
