import { createServer, request as send, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/**
 * A request such as `POST /v1/products`, and the number of its answer, counted from the previous kill, at which
 * the next kill comes.
 */
export type LastStep = readonly [step: string, count: number];

/**
 * Passes requests on to a service, but withholds some answers: the request has been carried out, and its sender
 * is killed before it hears so.
 */
export class DeadlyProxy {
  private count = 0;
  private readonly server: Server;

  private constructor(
    to: string,
    private readonly steps: LastStep[],
    private readonly kill: () => void,
  ) {
    this.server = createServer((request, response) => {
      const { method, url = '', headers } = request;
      const upstream = send(to + url, { method, headers, agent: false }, (answer) => {
        if (this.isLast(`${method} ${url}`)) return this.kill();
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      upstream.on('error', () => response.destroy());
      request.pipe(upstream);
    });
  }

  static async open(to: string, steps: readonly LastStep[], kill: () => void): Promise<DeadlyProxy> {
    const proxy = new DeadlyProxy(to, [...steps], kill);
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private isLast(step: string): boolean {
    const [expected, count] = this.steps[0] ?? [];
    if (expected === undefined || !step.startsWith(expected) || step.includes('dry_run')) return false;
    if (++this.count < (count ?? 1)) return false;
    this.steps.shift();
    this.count = 0;
    return true;
  }
}
