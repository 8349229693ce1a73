import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEventStorePool } from '#event-store/postgres/postgres-event-store.js';
import { onClient } from '#event-store/postgres/connection.js';
import { createDataSource } from './data-source.js';

/** A message of PostgreSQL's protocol: a type, a length that includes itself, and a body. */
const message = (type: string, ...says: (number | string)[]) => {
  const body = Buffer.concat(
    says.map((part) => (typeof part === 'number' ? Buffer.of(part) : Buffer.from(part))),
  );
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
};
const welcome = Buffer.concat([message('R', 0, 0, 0, 0), message('Z', 'I')]);
const goodbye = message(
  'E',
  'SFATAL',
  0,
  'C57P01',
  0,
  'Mterminating connection due to administrator command',
  0,
  0,
);

/**
 * A server that stops at the moment in which a client has connected: the client gets both messages together.
 */
let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(Buffer.concat([welcome, goodbye])));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  url = `postgres://nobody@127.0.0.1:${(server.address() as AddressInfo).port}/none`;
});
afterAll(() => new Promise((closed) => server.close(closed)));

/**
 * Vitest reports an `error` event without a listener as a failed test; in production it would end the process.
 */
describe('a connection that ends while its pool hands it out', () => {
  it('ends no process of those that use the event store', async () => {
    const pool = createEventStorePool(url, 1);
    await expect(onClient(pool, (client) => client.query('select 1'))).rejects.toThrow();
    await pool.end();
  });

  it('ends no process of those that read', async () => {
    const dataSource = createDataSource({ url, schema: 'test', poolSize: 1 });
    await expect(dataSource.initialize()).rejects.toThrow();
  });
});
