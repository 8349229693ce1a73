import { execFileSync } from 'node:child_process';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Receiver } from '../../test/support/receiver.js';
import { HttpWebhooks } from './http-webhooks.js';

const loopback = { allowedNetworks: ['127.0.0.1/32'], allowHttp: true, timeoutMs: 2_000, concurrency: 1 };
const signal = new AbortController().signal;
const message = { environment: 'test' as const, headers: { 'webhook-id': 'm' }, body: '{}', signal };

let receiver: Receiver;
let port: string;
beforeAll(async () => {
  receiver = await Receiver.start();
  port = new URL(receiver.at('/')).port;
});
afterAll(() => receiver[Symbol.asyncDispose]());

function selfSigned(name: string): { key: string; cert: string } {
  const options = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '1',
    '-subj',
    `/CN=${name}`,
    '-addext',
    `subjectAltName=DNS:${name}`,
    '-keyout',
    '-',
    '-out',
    '-',
  ];
  const made = execFileSync('openssl', options, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const [key = '', cert = ''] = made.match(/-----BEGIN [^]+?-----END [A-Z ]+-----/g) ?? [];
  return { key, cert };
}

/** A name server that answers each question with the next address. */
function answering(...addresses: string[]) {
  const asked = { times: 0 };
  const resolve = () => Promise.resolve([addresses[Math.min(asked.times++, addresses.length - 1)]!]);
  return { asked, resolve };
}

describe('the call of an endpoint', () => {
  it('connects to the address that was checked, with one look at the name', async () => {
    const { asked, resolve } = answering('127.0.0.1', '10.0.0.1');
    const webhooks = new HttpWebhooks(loopback, resolve);
    const url = `http://shop.example:${port}/by-name`;
    expect(await webhooks.post({ ...message, url })).toMatchObject({ kind: 'answered', statusCode: 200 });
    expect(asked.times).toBe(1);
    expect(receiver.to('/by-name')[0]?.headers.host).toBe(`shop.example:${port}`);
  });

  it('is not made when the name leads into our own network by now', async () => {
    const { resolve } = answering('93.184.216.34', '127.0.0.1');
    const webhooks = new HttpWebhooks({ ...loopback, allowedNetworks: [] }, resolve);
    const url = `http://rebound.example:${port}/rebound`;
    expect(await webhooks.complaintAbout('test', url)).toBeUndefined();
    expect(await webhooks.post({ ...message, url })).toMatchObject({ kind: 'refused' });
    expect(receiver.to('/rebound')).toEqual([]);
  });

  it('says so when the name has no address', async () => {
    const nowhere = new HttpWebhooks(loopback, () => Promise.reject(new Error('the name has no address')));
    const url = 'http://nowhere.example/';
    const outcome = await nowhere.post({ ...message, url });
    expect(outcome).toEqual({ kind: 'no-answer', error: 'its name has no address' });
  });

  it.each([
    'http://127.0.0.1',
    'http://2130706433',
    'http://0x7f.1',
    'http://[::1]',
    'http://[::ffff:127.0.0.1]',
    'http://169.254.169.254',
    'http://10.1.2.3',
    'http://100.64.0.1',
    'http://[fe80::1]',
    'http://0.0.0.0',
  ])('is refused at %s, when it is registered and when it is made', async (origin) => {
    const webhooks = new HttpWebhooks({ ...loopback, allowedNetworks: [] });
    const url = `${origin}:${port}/`;
    expect(await webhooks.complaintAbout('test', url)).toMatch(/private and local networks/);
    expect(await webhooks.post({ ...message, url })).toMatchObject({ kind: 'refused' });
  });

  it('is made over TLS to a name whose certificate is trusted, at the address that was checked', async () => {
    const { key, cert } = selfSigned('shop.example');
    // The server answers with the name that the client names in TLS and checks the certificate against.
    const server = createServer({ key, cert }, ({ socket }, response) => {
      response.end((socket as TLSSocket).servername);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port: tlsPort } = server.address() as AddressInfo;
    const webhooks = new HttpWebhooks(loopback, answering('127.0.0.1').resolve);
    const call = (name: string) => webhooks.post({ ...message, url: `https://${name}:${tlsPort}/` });
    const trusted = getCACertificates('default');
    try {
      const unknown = { kind: 'no-answer', error: 'DEPTH_ZERO_SELF_SIGNED_CERT' };
      expect(await call('shop.example')).toEqual(unknown);
      setDefaultCACertificates([...trusted, cert]);
      expect(await call('shop.example')).toMatchObject({ statusCode: 200, answer: 'shop.example' });
      const another = { kind: 'no-answer', error: 'ERR_TLS_CERT_ALTNAME_INVALID' };
      expect(await call('other.example')).toEqual(another);
    } finally {
      setDefaultCACertificates(trusted);
      server.close();
    }
  });

  it('goes to https:// alone, but for test endpoints where a setting says so', async () => {
    const strict = new HttpWebhooks({ ...loopback, allowHttp: false });
    const url = receiver.at('/plain');
    expect(await strict.complaintAbout('test', url)).toMatch(/https/);
    expect(await new HttpWebhooks(loopback).complaintAbout('live', url)).toMatch(/https/);
    expect(await new HttpWebhooks(loopback).complaintAbout('test', url)).toBeUndefined();
    for (const wrong of [
      'ftp://shop.example',
      'nonsense',
      'https://me:secret@shop.example',
      'https://shop.example/#x',
    ])
      expect(await strict.complaintAbout('live', wrong)).toMatch(/^must /);
  });
});
