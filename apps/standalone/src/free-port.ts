import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from './console.js';

const retryMs = 200;

/**
 * The port that the API will listen on, found to be free; for 0 any free one. It is settled here and not by the API,
 * so that an API process that has to be started again keeps its address.
 * @param patienceMs how long a port that is taken may take to become free: after a crash the old API is still ending
 * @throws StartError when the port is in use, or the address is not one of this machine
 */
export async function settlePort(host: string, port: number, patienceMs: number): Promise<number> {
  for (const deadline = Date.now() + patienceMs; ;) {
    try {
      return await bind(host, port);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EADDRINUSE') throw new StartError(complaint(host, port, code));
      if (Date.now() >= deadline) throw new StartError(complaint(host, port, code));
      await sleep(retryMs);
    }
  }
}

async function bind(host: string, port: number): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen({ host, port, exclusive: true }, listening);
  });
  const settled = (server.address() as AddressInfo).port;
  await new Promise((closed) => server.close(closed));
  return settled;
}

function complaint(host: string, port: number, code: string | undefined): string {
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} of ${host} is in use: stop what listens there, or set PORT to another one (0: any free port)`;
    case 'EACCES':
      return `port ${port} may not be used by this user: set PORT to one above 1023`;
    default:
      return `HOST ${host} is not an address of this machine (${code}): use 127.0.0.1, or 0.0.0.0 for all of its addresses`;
  }
}
