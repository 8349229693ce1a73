import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Cuts connections that never sent a whole request, when the server stops. Node's `close` waits for them, for it only
 * counts those as idle that have had an answer, and it stops looking at its own time limits: one client that connects
 * and says nothing would keep the process from ending.
 */
export function cutSilentConnections(server: FastifyInstance): void {
  const silent = new Set<Socket>();
  let stopping = false;
  server.server.on('connection', (socket: Socket) => {
    if (stopping) {
      socket.destroy();
      return;
    }
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  server.server.on('request', ({ socket }: { socket: Socket }) => silent.delete(socket));
  server.addHook('preClose', (done) => {
    stopping = true;
    for (const socket of silent) socket.destroy();
    done();
  });
}
