import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import type { Socket } from 'node:net';

/** How long a client may leave an answer unread without taking a byte. nginx has the same default. */
export const defaultUnreadMs = 60_000;

/**
 * How many new connections the kernel keeps for a busy process. By default it allows at most 4,096. With Node's
 * 511, a burst of a thousand loses some: the kernel drops their first packets, and resets the data that their
 * clients have sent.
 */
export const listenBacklog = 4_096;

/** How many requests of one connection may wait for earlier answers. */
export const mostPipelined = 20;

/**
 * An HTTP server that limits what a connection holds. Node starts all pipelined requests at once, and keeps
 * their answers until the client reads them. Here a request starts when the kernel has taken the answer before
 * it. So a connection has at most one unsent answer. A client with more than {@link mostPipelined} waiting
 * requests, or one that does not read for `unreadMs`, loses its connection.
 */
export function guardedServer(
  options: ServerOptions,
  listener: RequestListener,
  unreadMs = defaultUnreadMs,
): Server {
  const server = createServer(options, oneByOne(listener));
  server.timeout = unreadMs;
  server.on('timeout', (socket: Socket) => {
    // If no byte is unsent, the server is the slow side, for example in a long poll. Between two requests, Node
    // sets a different timeout.
    if (socket.writableLength === 0 && socket.timeout === unreadMs) return;
    socket.destroy();
  });
  return server;
}

function oneByOne(listener: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>();
  const start: RequestListener = (request, response) => {
    // A client that has gone has no address any more. It gets no answer.
    if (request.socket.remoteAddress === undefined) request.socket.destroy();
    else listener(request, response);
  };
  return (request, response) => {
    // The answer to a pipelined request gets the socket when the earlier answers are sent.
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
