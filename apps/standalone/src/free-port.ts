import { createServer } from 'node:net';
import { errorCode } from '#platform/errors.js';
import { retry } from '#platform/retry.js';
import { StartError } from './console.js';

/**
 * The port that the API will listen on, found to be free; for 0 any free one. It is settled here and not by the API,
 * so that an API process that has to be started again keeps its address.
 * @param patienceMs how long a port that is taken may take to become free: after a crash the old API is still ending
 * @throws StartError when the port is in use, or the address is not one of this machine
 */
export async function settlePort(host: string, port: number, patienceMs: number): Promise<number> {
  try {
    return await retry(() => bind(host, port), {
      ...{ withinMs: patienceMs, longestPauseMs: 250 },
      mayPass: (error) => patienceMs > 0 && errorCode(error) === 'EADDRINUSE',
    });
  } catch (error) {
    throw new StartError(complaint(host, port, errorCode(error)));
  }
}

async function bind(host: string, port: number): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen({ host, port, exclusive: true }, listening);
  });
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  // A server on TCP has an address with a port; one on a pipe, which this is not, has text.
  return typeof address === 'object' && address ? address.port : port;
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
