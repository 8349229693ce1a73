import { hash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { expectError, type ApiClient } from '../../../test/api/support/api-client.js';
import { openWorld } from '../../../test/api/support/world.js';
import { aPicture, makePictures, storageOf } from '../../../test/api/support/made-pictures.js';
import { loadConfiguration } from '#platform/configuration.js';

const { service, api, tenant } = await openWorld();
const offering = () => {
  const given = { DATABASE_URL: service.databaseUrl, URL_SIGNING_SECRET: 'x', ATELIER_VERIFY_PAGE: 'true' };
  const { provenance } = loadConfiguration({ ...given, ATELIER_UNSIGNED_PICTURES: 'accept' });
  return service.openApi(undefined, { provenance });
};

const send = (to: ApiClient, bytes: Uint8Array) => {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(bytes)]), 'picture');
  return to.call('POST', '/verify', { body: form });
};

describe('/verify, without the setting', () => {
  it('is not there', async () => {
    expectError(await api.get('/verify'), 404, 'RESOURCE_NOT_FOUND');
    expectError(await send(api, await aPicture()), 404, 'RESOURCE_NOT_FOUND');
  });
});

describe('/verify, if the operator offers it', () => {
  it('is a page with the policy of the consoles', async () => {
    const { status, headers, body } = await (await offering()).get('/verify');
    expect(status).toBe(200);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
    expect(body).toContain('Was this picture made here?');
  });

  it('recognises a picture, and tells neither the job nor the tenant', async () => {
    const { jobId, artifacts } = await makePictures(api, service, tenant, { kind: 'model_portrait' });
    const bytes = await storageOf(service).get(artifacts[0]!.storageKey);
    const { status, body } = await send(await offering(), bytes);
    expect(status).toBe(200);
    expect(body).toEqual({
      verdict: 'unchanged',
      looks_alike: null,
      sha256: hash('sha256', bytes),
      credentials: null,
      origin: {
        environment: 'live',
        workflow: 'model-generator',
        engine: 'sketch',
        model: 'sketch-1',
        created_at: expect.any(String),
      },
    });
    const told = JSON.stringify(body);
    for (const secret of [jobId, tenant.id, tenant.keyId, artifacts[0]!.assetId])
      expect(told).not.toContain(secret);
  });

  it('says that another picture is unknown, also one that breaks off', async () => {
    const to = await offering();
    const picture = await aPicture();
    for (const bytes of [picture, picture.subarray(0, 40)])
      expect(await send(to, bytes)).toMatchObject({
        status: 200,
        body: { verdict: 'unknown', origin: null },
      });
  });

  it('refuses what is no picture, and what is too large, and says what to do', async () => {
    const to = await offering();
    const text = await send(to, Buffer.from('no picture'));
    expectError(text, 415, 'UNSUPPORTED_MEDIA_TYPE');
    expect(text.body.error.message).toContain('Choose a JPEG, PNG, WebP or AVIF');
    const large = await send(to, new Uint8Array(25 * 1024 * 1024 + 1));
    expectError(large, 413, 'PAYLOAD_TOO_LARGE');
    expect(large.body.error.message).toContain('25 MiB');
    const json = await to.call('POST', '/verify', { json: { sha256: 'ab'.repeat(32) } });
    expectError(json, 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  it('takes 20 pictures of an address in a minute, and says when to try again', async () => {
    const to = await offering();
    const picture = await aPicture();
    for (let sent = 0; sent < 20; sent++) expect((await send(to, picture)).status).toBe(200);
    const refused = await send(to, picture);
    expectError(refused, 429, 'RATE_LIMITED');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await to.get('/verify')).status).toBe(200);
  });

  it('answers while clients that send slowly are still sending', async () => {
    const to = await offering();
    const { host, hostname, port } = new URL(to.url);
    const slow = Array.from({ length: 10 }, () => connect(Number(port), hostname));
    try {
      for (const socket of slow) {
        await once(socket, 'connect');
        socket.write(
          `POST /verify HTTP/1.1\r\nHost: ${host}\r\nContent-Type: multipart/form-data; boundary=x\r\n` +
            'Content-Length: 2000\r\n\r\n--x\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\nz',
        );
      }
      expect((await to.get('/verify')).status).toBe(200);
      expect((await send(to, await aPicture())).status).toBe(200);
    } finally {
      for (const socket of slow) socket.destroy();
    }
  });

  it('answers another method with 405', async () => {
    expectError(await (await offering()).call('DELETE', '/verify'), 405, 'METHOD_NOT_ALLOWED');
  });
});
