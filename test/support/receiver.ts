import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A message as it arrived. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly at: number;
}

export type Behaviour = (response: ServerResponse, received: Received, request: IncomingMessage) => void;

export const accepts: Behaviour = (response) => void response.end('thanks');

/** A customer's server: each path has the behaviour that a test sets, and every arriving message is kept. */
export class Receiver implements AsyncDisposable {
  readonly received: Received[] = [];
  private readonly behaviours = new Map<string, Behaviour>();
  private readonly server = createServer((request, response) => void this.take(request, response));
  private port = 0;

  static async start(): Promise<Receiver> {
    const receiver = new Receiver();
    await receiver.open();
    return receiver;
  }

  /** The address of a path with this behaviour. */
  at(path: string, behaviour: Behaviour = accepts): string {
    this.behaviours.set(path, behaviour);
    return `http://127.0.0.1:${this.port}${path}`;
  }

  to(path: string): Received[] {
    return this.received.filter((each) => each.path === path);
  }

  /** Opens on the same port as before. */
  async open(): Promise<void> {
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  /** Cuts connections, as if the server were killed. */
  async close(): Promise<void> {
    if (!this.server.listening) return;
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined);
    const body = await text(request).catch(() => '');
    const path = request.url ?? '';
    const received = { path, headers: request.headers, body, at: Date.now() };
    this.received.push(received);
    (this.behaviours.get(path) ?? accepts)(response, received, request);
  }
}
