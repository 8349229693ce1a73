import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServerCredentials } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { freshPrefix, newEvents } from '../event-store/harness.js';
import { EventStoreUnavailable } from '#event-store/event-store.js';
import { writeElsewhere } from '../event-store/write-elsewhere.js';
import { eventually } from '../support/eventually.js';
import { Peer } from './peer/peer.js';
import { selfSigned } from './self-signed.js';
import { listening, Stores } from './stores.js';

describe('connections to EventStoreDB', () => {
  const stores = new Stores();
  afterEach(() => stores.close());

  describe('with TLS', () => {
    const { certificate, privateKey } = selfSigned();
    const key = { private_key: Buffer.from(privateKey), cert_chain: Buffer.from(certificate) };
    const peer = new Peer(undefined, ServerCredentials.createSsl(null, [key]));
    let folder: string;
    const url = (options: string) => `esdb://admin:hunter2%40home@localhost:${peer.port}?${options}`;

    beforeAll(async () => {
      await peer.start();
      folder = await mkdtemp(join(tmpdir(), 'atelier-tls-'));
      await writeFile(join(folder, 'ca.pem'), certificate);
    });
    afterAll(async () => {
      peer.stop();
      await rm(folder, { recursive: true });
    });

    it('sends the credentials, and trusts the authority that the URL names', async () => {
      const store = stores.open(url(`tlsCAFile=${encodeURIComponent(join(folder, 'ca.pem'))}`));
      await store.append(freshPrefix(), 'no-stream', newEvents(1));
      expect(await store.readAll()).toHaveLength(1);
      expect(peer.authorization).toBe(`Basic ${Buffer.from('admin:hunter2@home').toString('base64')}`);
    });

    it('needs no credentials to append', async () => {
      const ca = encodeURIComponent(join(folder, 'ca.pem'));
      const store = stores.open(`esdb://localhost:${peer.port}?tlsCAFile=${ca}`);
      await store.append(freshPrefix(), 'no-stream', newEvents(1));
      await store.head();
      expect(peer.authorization).toBeUndefined();
    });

    it('refuses a certificate that nobody vouches for, and says so without the credentials', async () => {
      const store = stores.open(url('tls=true'), { deadlineMs: 3_000 });
      const attempt = store.head();
      await expect(attempt).rejects.toThrow(EventStoreUnavailable);
      await expect(attempt).rejects.toThrow(/self.signed/);
      await expect(attempt).rejects.not.toThrow(/hunter2/);
    });

    it('takes any certificate when the URL says so', async () => {
      const store = stores.open(url('tlsVerifyCert=false'));
      expect(await store.head()).toBeDefined();
    });
  });

  it('sends no credentials without TLS, and says so; prints no password, not even under DEBUG', async () => {
    const peer = await stores.peer();
    const url = peer.url.replace('esdb://', 'esdb://admin:hunter2@');
    const job = { prefix: freshPrefix(), streams: 1, events: 1 };
    // The client would print the connection string there.
    const stderr = await writeElsewhere(url, job, { DEBUG: 'esdb*' });
    expect(stderr).toContain('esdb:command');
    expect(stderr).toContain('no credentials over a connection without TLS');
    expect(stderr).not.toContain('hunter2');
    expect(peer.authorization).toBeUndefined();
  });

  it('replaces a connection that fell silent, and gives each store one of its own', async () => {
    const peer = await stores.peer();
    const observer = listening();
    const one = stores.open(peer, { answerTimeoutMs: 100, deadlineMs: 60_000, observer });
    // A busy machine may take longer than 100 ms; the store then opens a new connection.
    await one.head();
    const ofOne = peer.clients.size;
    await stores.open(peer).head();
    expect(peer.clients.size).toBe(ofOne + 1);
    observer.heard.length = 0;
    peer.faults.silent = true;
    const reading = one.head();
    await eventually(() => peer.clients.size > ofOne + 1);
    peer.faults.silent = false;
    await reading;
    expect(observer.heard).toContain('reconnected');
  });
});
