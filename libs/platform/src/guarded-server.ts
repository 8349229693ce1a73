import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import type { Socket } from 'node:net';

/** How long a client may take no byte of an answer that waits for it: as long as nginx waits by default. */
export const defaultUnreadMs = 60_000;

/** Requests of one connection that may wait for the answers before theirs. */
export const mostPipelined = 20;

/**
 * An HTTP server that bounds what a connection holds. Node parses and starts all requests that come pipelined, and keeps
 * their answers until the client reads: here a request starts when the answer before it has been handed to the kernel, so
 * that one connection has one answer unsent at most. A client with more than {@link mostPipelined} waiting requests, or one
 * that does not read for `unreadMs`, loses its connection.
 */
export function guardedServer(
  options: ServerOptions,
  listener: RequestListener,
  unreadMs = defaultUnreadMs,
): Server {
  const server = createServer(options, oneByOne(listener));
  server.timeout = unreadMs;
  server.on('timeout', (socket: Socket) => {
    // With nothing unsent it is we who take our time, as in a long poll. Node sets another time between two requests.
    if (socket.writableLength === 0 && socket.timeout === unreadMs) return;
    socket.destroy();
  });
  return server;
}

function oneByOne(listener: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>();
  const start: RequestListener = (request, response) => {
    // One who has gone already is told nothing, and has no address any more.
    if (request.socket.remoteAddress === undefined) request.socket.destroy();
    else listener(request, response);
  };
  return (request, response) => {
    // The answer to a pipelined request gets the socket when those before it have left.
    if (response.socket) {
      start(request, response);
      return;
    }
    const { socket } = request;
    const ahead = waiting.get(socket) ?? 0;
    if (ahead >= mostPipelined || socket.destroyed) {
      socket.destroy();
      return;
    }
    waiting.set(socket, ahead + 1);
    response.once('socket', () => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
      // Behind the requests of others.
      setImmediate(start, request, response);
    });
  };
}
