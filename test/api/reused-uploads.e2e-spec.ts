import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../support/eventually.js';
import { testSigningKey } from '../support/signing-key.js';
import { untilEnd } from '../support/until-end.js';
import type { Answer } from './support/api-client.js';
import { aPicture, aPictureWithStore } from './support/made-pictures.js';
import { openWorld } from './support/world.js';

const { service, api, tenant } = await openWorld({ configuration: { signingKey: testSigningKey } });
const sql = new pg.Pool({ connectionString: service.databaseUrl, max: 1 });
untilEnd({ [Symbol.asyncDispose]: () => sql.end() });
const picture = await aPicture();

function upload(bytes: Uint8Array, fields: Record<string, string> = {}, key = tenant.key): Promise<Answer> {
  const form = new FormData();
  for (const [name, value] of Object.entries({ reuse: 'true', ...fields })) form.append(name, value);
  form.append('file', new Blob([new Uint8Array(bytes)]), 'p.png');
  return api.call('POST', '/v1/uploads', { key, body: form });
}
const idOf = ({ body }: Answer) => body.asset_id as string;
const objectsOf = (id: string) => readdir(join(service.folder, 'objects', 'live', id, 'uploads'));

describe('an upload with reuse', () => {
  it('is the one that is there, and stores no second picture', async () => {
    const owner = await service.openTenant();
    const bytes = await aPicture();
    const first = await upload(bytes, {}, owner.key);
    expect(first.status).toBe(201);
    expect(first.body.already_there).toBe(false);
    const again = await upload(bytes, {}, owner.key);
    expect(again.body).toMatchObject({ asset_id: idOf(first), already_there: true });
    expect(await objectsOf(owner.id)).toHaveLength(1);
    const plain = await api.upload(owner.key, bytes);
    expect(idOf(plain)).not.toBe(idOf(first));
    expect(plain.body).not.toHaveProperty('already_there');
  });

  it('is recognised long after, and also if the first one was sent without it', async () => {
    const bytes = await aPicture();
    const first = await api.upload(tenant.key, bytes);
    await sql.query('delete from live.idempotency_keys');
    await eventually(async () => {
      const { rows } = await sql.query('select from live.assets where asset_id = $1', [idOf(first)]);
      expect(rows).toHaveLength(1);
    });
    expect((await upload(bytes)).body).toMatchObject({ asset_id: idOf(first), already_there: true });
  });

  it('is stored once if it comes many times at once', async () => {
    const owner = await service.openTenant();
    const bytes = await aPicture();
    const answers = await Promise.all(Array.from({ length: 8 }, () => upload(bytes, {}, owner.key)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201));
    expect(new Set(answers.map(idOf)).size).toBe(1);
    expect(answers.filter(({ body }) => body.already_there === false)).toHaveLength(1);
    expect(await objectsOf(owner.id)).toHaveLength(1);
  });

  it('is never that of another tenant, environment or person, nor one with other credentials', async () => {
    const first = await upload(picture);
    const stranger = await service.openTenant();
    const others = [
      await upload(picture, {}, stranger.key),
      await upload(picture, {}, (await service.openTenant({ environment: 'test' })).key),
      await upload(picture, { data_subject: 'anna' }),
      await upload(picture, { data_subject: 'berta' }),
    ];
    for (const each of others) expect(each.body.already_there).toBe(false);
    expect(new Set([first, ...others].map(idOf)).size).toBe(5);
    const anna = await upload(picture, { data_subject: 'anna' });
    expect(idOf(anna)).toBe(idOf(others[2]!));
    const signed = await aPictureWithStore(100);
    const withStore = await upload(signed);
    expect(idOf(await upload(signed))).toBe(idOf(withStore));
    const bare = await upload(Buffer.concat([signed.subarray(0, 33), signed.subarray(33 + 112)]));
    expect(bare.body.already_there).toBe(false);
  });

  it('is a new one if either has an end of its own', async () => {
    const bytes = await aPicture();
    const short = await upload(bytes, { retain_days: '3' });
    expect(short.body.already_there).toBe(false);
    const again = await upload(bytes, { retain_days: '3' });
    const long = await upload(bytes);
    expect(new Set([short, again, long].map(idOf)).size).toBe(3);
  });

  it('is a new one if the bytes of the earlier one are gone', async () => {
    const bytes = await aPicture();
    const first = await upload(bytes);
    await rm(join(service.folder, 'objects', first.body.upload_key as string));
    const again = await upload(bytes);
    expect(again.body.already_there).toBe(false);
    expect(idOf(await upload(bytes))).toBe(idOf(again));
  });

  it('tells the holder of a client token nothing of what others uploaded', async () => {
    const bytes = await aPicture();
    const first = await upload(bytes);
    const token = (await api.post('/v1/client-tokens', tenant.key, { purpose: 'upload' })).body
      .token as string;
    const byToken = await upload(bytes, {}, token);
    expect(byToken.status).toBe(201);
    expect(idOf(byToken)).not.toBe(idOf(first));
    expect(byToken.body).not.toHaveProperty('already_there');
  });
});
