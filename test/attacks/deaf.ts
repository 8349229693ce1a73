import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { residentMb } from '../bench/cost.js';

interface DeafAttack {
  readonly url: string;
  /** The process that answers. */
  readonly pid: number;
  /** The path that is requested again and again. */
  readonly path: string;
  readonly key?: string | undefined;
  readonly sockets: number;
  readonly requestsEach: number;
}

/** The machine needs the rest of its memory. */
const mostMb = 1_200;
const watchedMs = 4_000;

/** Sends the same request many times on a few connections, all at once, and reads no answer. */
export async function askAndNotRead(attack: DeafAttack) {
  const { url, pid, sockets: count, requestsEach } = attack;
  const before = residentMb(pid);
  const request = requestOf(attack).repeat(requestsEach);
  let closed = 0;
  const { hostname, port } = new URL(url);
  const sockets = Array.from({ length: count }, () => {
    const socket: Socket = connect(Number(port), hostname, () => socket.write(request));
    // The server should cut the connection.
    socket.on('error', () => undefined).once('close', () => (closed += 1));
    return socket.pause();
  });
  let most = before;
  for (const deadline = Date.now() + watchedMs; Date.now() < deadline && most - before < mostMb;) {
    await sleep(50);
    most = Math.max(most, residentMb(pid));
    // A write shows whether a connection was cut.
    for (const socket of sockets) if (socket.writable) socket.write('\r\n');
  }
  const cut = closed;
  const left = sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve).destroy()));
  await Promise.race([Promise.all(left), sleep(1_000)]);
  return {
    grownMb: most - before,
    /** True if the attack ended early because the process grew too much. */
    stopped: most - before >= mostMb,
    alive: residentMb(pid) > 0,
    /** The number of the attack's sockets that the server has closed. */
    closed: cut,
  };
}

function requestOf({ url, path, key }: DeafAttack): string {
  const authorization = key === undefined ? '' : `authorization: Bearer ${key}\r\n`;
  return `GET ${path} HTTP/1.1\r\nhost: ${new URL(url).host}\r\naccept: text/event-stream, */*\r\n${authorization}\r\n`;
}
