import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { guardedServer, mostPipelined } from './guarded-server.js';

const unreadMs = 300;
const large = Buffer.alloc(16 * 1024 * 1024, 'x');
const opened: (() => void)[] = [];

afterEach(() => {
  for (const close of opened.splice(0)) close();
});

async function serve(listener: RequestListener, mayDoNothingMs = unreadMs): Promise<Server> {
  const server = guardedServer({ keepAliveTimeout: 60_000 }, listener, mayDoNothingMs);
  opened.push(() => server.close().closeAllConnections());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

async function client(server: Server): Promise<Socket> {
  // A server that listens on TCP has a port.
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  opened.push(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

const requests = (count: number) =>
  Array.from({ length: count }, (_, index) => `GET /${index} HTTP/1.1\r\nhost: a\r\n\r\n`).join('');

async function textOf(socket: Socket, until: (text: string) => boolean): Promise<string> {
  let text = '';
  for await (const chunk of socket.setEncoding('utf8')) if (until((text += String(chunk)))) break;
  return text;
}

describe('a guarded server', () => {
  it('starts a pipelined request when the answer before it has left, and answers all in order', async () => {
    let underWay = 0;
    let most = 0;
    const server = await serve((request, response) => {
      most = Math.max(most, ++underWay);
      setTimeout(() => {
        underWay -= 1;
        response.end(`<${request.url}>`);
      }, 5);
    });
    const socket = await client(server);
    socket.write(requests(mostPipelined + 1));
    const text = await textOf(socket, (sofar) => sofar.includes(`</${mostPipelined}>`));
    expect(text.match(/<\/\d+>/g)).toEqual(
      Array.from({ length: mostPipelined + 1 }, (_, index) => `</${index}>`),
    );
    expect(most).toBe(1);
  });

  it('has one answer unsent to a client that does not read, and cuts it', async () => {
    let started = 0;
    const server = await serve((_request, response) => {
      started += 1;
      response.end(large);
    });
    const socket = await client(server);
    const arrived = once(server, 'request');
    socket.pause().write(requests(mostPipelined));
    const [{ socket: served }] = (await arrived) as [{ socket: Socket }];
    await once(served, 'close');
    expect(started).toBe(1);
  });

  it('cuts a client with too many requests at once, and starts none of those that wait', async () => {
    let started = 0;
    const server = await serve(() => void (started += 1));
    const socket = await client(server);
    socket.write(requests(mostPipelined + 2));
    await once(socket.resume(), 'close');
    expect(started).toBe(1);
  });

  it('waits for a client that reads slowly, and lets one wait that has nothing to read', async () => {
    // The client is in the same process as the server. A busy machine must not stop both for so long.
    const mayDoNothingMs = 1_500;
    const server = await serve((request, response) => {
      if (request.url === '/0') response.end(large);
      else setTimeout(() => response.end('late'), 2 * mayDoNothingMs);
    }, mayDoNothingMs);
    const socket = await client(server);
    socket.write(requests(1));
    let received = 0;
    for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
      received += (chunk as Buffer).length;
      // In all, this takes three times as long as a client may do nothing.
      if (received % (1024 * 1024) < (chunk as Buffer).length) await sleep((3 * mayDoNothingMs) / 16);
      if (received >= large.length) break;
    }
    socket.write('GET /late HTTP/1.1\r\nhost: a\r\n\r\n');
    expect(await textOf(socket, (text) => text.endsWith('late'))).toContain('late');
  });
});
