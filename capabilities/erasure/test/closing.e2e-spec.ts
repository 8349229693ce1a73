import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { AdminService } from '../../../test/admin/support.js';
import { ApiService, type Tenant } from '../../../test/api/support/api-service.js';
import { expectError, type Json } from '../../../test/api/support/api-client.js';
import { makePictures, uploadPicture } from '../../../test/api/support/made-pictures.js';
import { verbsOn } from '../../../test/cli/support/verbs.js';
import { expectAuditToHold } from '../../../test/support/audited.js';
import { eventually } from '../../../test/support/eventually.js';
import { testSigningKey } from '../../../test/support/signing-key.js';
import { untilEnd } from '../../../test/support/until-end.js';
import { RecordMacs } from '../record-macs.js';
import { startErasing } from './support/erasing.js';
import { tablesWith } from '../../../test/support/tables-with.js';

const word = 'Quistgaard';
const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const service = untilEnd(await ApiService.start({ projector: false }));
const erasing = await startErasing(service, pem, { timing: { sweepIntervalMs: 200 } });
untilEnd({ [Symbol.asyncDispose]: () => erasing.stop() });
const sql = new pg.Pool({ connectionString: service.databaseUrl, max: 1 });
untilEnd({ [Symbol.asyncDispose]: () => sql.end() });
const api = await service.openApi();
const admin = untilEnd(await AdminService.start(service.databaseUrl));
const ada = await admin.token('ada', 'finance');
const bob = await admin.token('bob', 'finance');

const ask = (tenant: Tenant, action: string, token: string, more: object = {}) =>
  admin.ask(`POST /tenants/${tenant.id}/closing${action}`, token, { env: 'live', ...more });
/** A refusal of the operators' API. */
const refused = { status: 409, body: { error: { code: 'REFUSED' } } };
const statusOf = async ({ id }: Tenant): Promise<string> => {
  const { closings } = (await admin.ask('GET /closings?env=live', ada)).body;
  return (closings as Json[]).find(({ tenant_id }) => tenant_id === id)?.status ?? 'open';
};
const order = ({ key }: Tenant, name = word) => api.post('/v1/model-generator', key, { display_name: name });
/** Without the empty folders. */
const filesOf = ({ id }: Tenant) =>
  readdirSync(join(service.folder, 'objects'), { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.parentPath.includes(id),
  );

describe('a tenant that is to be closed', { timeout: 300_000 }, () => {
  it('needs a second operator, refuses dispatches in its notice period, and is open again when that is cancelled', async () => {
    const tenant = await service.openTenant({ credits: 100 });
    const { body: proposed } = await ask(tenant, '', ada, { notice_days: 7 });
    expect(proposed).toMatchObject({ status: 'proposed', notice_days: 7, due_at: null });
    expect(await ask(tenant, '', ada)).toMatchObject(refused);
    expect(await ask(tenant, '/approve', ada)).toMatchObject(refused);
    expect((await order(tenant)).status).toBe(202);

    const { body: noticed } = await ask(tenant, '/approve', bob);
    expect(noticed).toMatchObject({ status: 'notice', approved_by: 'bob' });
    expect(Date.parse(noticed.due_at as string) - Date.now()).toBeGreaterThan(6.9 * 86_400_000);
    expectError(await order(tenant), 403, 'ACCOUNT_INACTIVE');
    expect((await api.get('/v1/credits', tenant.key)).status).toBe(200);
    // Only a cancelled closing opens the tenant again.
    await admin.ask(`POST /tenants/${tenant.id}/reactivate`, ada, { env: 'live' });
    await eventually(async () => (await order(tenant)).status === 403);

    expect((await ask(tenant, '/cancel', ada)).body).toMatchObject({ status: 'open' });
    await eventually(async () => (await order(tenant)).status === 202);
    expect(await statusOf(tenant)).toBe('open');
    expect(await ask(tenant, '/cancel', ada)).toMatchObject(refused);
  });

  it('is exported as a file', async () => {
    const tenant = await service.openTenant({ credits: 100 });
    const { assetId, uploadKey } = await uploadPicture(api, tenant);
    await eventually(async () => (await api.get(`/v1/uploads/${assetId}`, tenant.key)).status === 200);
    const out = join(service.folder, 'tenant.zip');
    const { json, complaint } = verbsOn(service);
    const verb = ['tenants', 'export', tenant.id, '--env', 'live', '--out', out];
    await json(verb);
    const bytes = readFileSync(out);
    expect(bytes.subarray(0, 2).toString()).toBe('PK');
    for (const name of ['tenant.json', `uploads/${assetId}/events.json`, `${assetId}.png`])
      expect(bytes.includes(name)).toBe(true);
    expect(await complaint(verb)).toContain('is there already');

    const support = await admin.token('eve', 'support');
    const answer = await fetch(`${admin.url}/admin/v1/tenants/${tenant.id}/archive`, {
      method: 'POST',
      headers: { authorization: `Bearer ${support}`, 'content-type': 'application/json' },
      body: JSON.stringify({ env: 'live' }),
    });
    expect(answer.headers.get('content-type')).toBe('application/zip');
    expect(Buffer.from(await answer.arrayBuffer()).includes(`uploads/${assetId}/`)).toBe(true);
    const { body } = await admin.ask('GET /actions?action=tenants%20export', ada);
    expect(body.actions).toHaveLength(2);

    // The storage fails in the middle of the archive.
    const picture = join(service.folder, 'objects', uploadKey);
    rmSync(picture);
    symlinkSync(picture, picture);
    const broken = join(service.folder, 'broken.zip');
    expect(await complaint([...verb.slice(0, -1), broken])).toContain('ELOOP');
    expect(existsSync(broken)).toBe(false);
    rmSync(picture);
  });
});

describe('a closed tenant', { timeout: 300_000 }, () => {
  it('has nothing left but amounts, times and ids, and the audit holds', async () => {
    // No other tenant has it.
    const word = 'Halvorsen';
    const tenant = await service.openTenant({ credits: 100 });
    const other = await service.openTenant({ credits: 100 });
    const { assetId } = await uploadPicture(api, tenant);
    const { assetId: kept } = await uploadPicture(api, other);
    await makePictures(api, service, tenant, { kind: 'model_portrait', label: word });
    await api.post('/v1/products', tenant.key, { upload_asset_public_id: assetId, title: word });
    await api.post('/v1/model-generator', tenant.key, { gender: word });
    const running = (await order(tenant, word)).body.job_id as string;
    await admin.ask(
      `POST /tenants/${tenant.id}/credits`,
      ada,
      { env: 'live', amount: 5, kind: 'pack', label: word },
      { 'idempotency-key': 'pack' },
    );
    await eventually(async () => (await api.get(`/v1/jobs/${running}`, tenant.key)).status === 200);
    expect(filesOf(tenant)).not.toEqual([]);
    const account = () => admin.operator.account('live', tenant.id);
    const before = await account();

    await ask(tenant, '', ada, { notice_days: 0 });
    await ask(tenant, '/approve', bob);
    await eventually(async () => (await statusOf(tenant)) === 'closed');
    expect(await ask(tenant, '/cancel', ada)).toMatchObject(refused);
    expect(await ask(tenant, '', ada)).toMatchObject(refused);

    await eventually(async () => (await api.get('/v1/credits', tenant.key)).status === 401);
    expect(filesOf(tenant)).toEqual([]);
    expect(await tablesWith(sql, word)).toEqual([]);
    const { erasures } = (await admin.ask(`GET /tenants/${tenant.id}/erasures`, ada)).body;
    expect(erasures).toMatchObject([{ status: 'completed', by: 'saga:closings' }]);
    // The job that had not ended was refunded.
    await eventually(async () => (await account()).balance === before.balance + 5);
    expect((await api.get(`/v1/uploads/${kept}`, other.key)).status).toBe(200);
    // For a minute the other processes still have the keys in memory, and read what the rows no longer show.
    await eventually(async () => {
      await expectAuditToHold(service);
      return true;
    });
  });
});

describe('a closing', { timeout: 300_000 }, () => {
  it('waits while a legal hold of the tenant is in force', async () => {
    const tenant = await service.openTenant({ credits: 100 });
    const { job_id } = (await order(tenant)).body;
    await eventually(async () => (await api.get(`/v1/jobs/${String(job_id)}`, tenant.key)).status === 200);
    const hold = { env: 'live', job: job_id, reason: 'the case of Annabel' };
    const eva = await admin.token('eva', 'support');
    const { status, body: placed } = await admin.ask(`POST /tenants/${tenant.id}/holds`, eva, hold);
    expect(status).toBe(200);
    await ask(tenant, '', ada, { notice_days: 0 });
    await ask(tenant, '/approve', bob);
    await eventually(async () => (await statusOf(tenant)) === 'erasing');
    await eventually(async () => (await api.get('/v1/credits', tenant.key)).status === 401);
    const holds = () => admin.ask(`GET /tenants/${tenant.id}/holds?env=live`, ada);
    expect((await holds()).body.holds).toMatchObject([{ job_id, reason: 'the case of Annabel' }]);
    expect(await statusOf(tenant)).toBe('erasing');

    const lift = { env: 'live', reason: 'settled' };
    await admin.ask(`POST /tenants/${tenant.id}/holds/${String(placed.hold_id)}/lift`, eva, lift);
    await eventually(async () => (await statusOf(tenant)) === 'closed');
    expect(await tablesWith(sql, 'Annabel')).toEqual([]);
  });

  it('is done again in a log that was restored from before it', async () => {
    const [closed, stranger, before] = await Promise.all(
      [1, 2, 3].map(() => service.openTenant({ credits: 9 })),
    );
    await ask(before!, '', ada, { notice_days: 0 });
    await ask(before!, '/approve', bob);
    await eventually(async () => (await statusOf(before!)) === 'closed');
    const folder = join(service.folder, 'objects', 'closings', 'live');
    const { mac: _, ...kept } = JSON.parse(readFileSync(join(folder, `${before!.id}.json`), 'utf8'));
    const macs = { ours: recordMacs(testSigningKey), foreign: recordMacs('stranger'.repeat(5)) };
    for (const [{ id }, signer] of [
      [closed!, macs.ours],
      [stranger!, macs.foreign],
    ] as const) {
      const record = { ...kept, proposed: { ...kept.proposed, tenant: id } };
      writeFileSync(join(folder, `${id}.json`), signer.signed(record));
    }
    // The log knows nothing of them, as after a restore.
    await service.openApi();
    await eventually(async () => (await statusOf(closed!)) === 'closed');
    expect((await api.get('/v1/credits', closed!.key)).status).toBe(401);
    expect(await statusOf(stranger!)).toBe('open');
    expect((await api.get('/v1/credits', stranger!.key)).status).toBe(200);
    const events = await service.store.readStream(`live.closing-${before!.id}`);
    expect(events.kind === 'found' && events.events.map(({ type }) => type)).toEqual([
      'TenantClosingProposed',
      'TenantClosingApproved',
      'TenantClosingBegun',
      'TenantClosed',
    ]);
    rmSync(join(folder, `${stranger!.id}.json`));
  });
});

const recordMacs = (signingKey: string) => new RecordMacs({ signingKey, acceptedSigningKeys: [] }, 'closing');
