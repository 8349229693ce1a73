import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';

/*
 * A vendor at the socket. Each family's double is in `../families`, written from the vendor's public API
 * documents. A test sets the outcome of the next calls. The double keeps all requests and counts the
 * submissions.
 */

export type Turn =
  | 'fine'
  /** The result was refused for its content, if the vendor has a form of its own for that. */
  | 'unsafe'
  /** The connection breaks after the vendor has taken the call in, or before that. */
  | 'lost'
  /** The connection breaks in the middle of the answer. */
  | 'torn'
  | 'policy'
  | 'bad_input'
  | 'quota'
  | 'busy'
  | 'broken'
  | 'hang'
  | 'cut'
  | 'garbage'
  | 'format'
  | 'nothing'
  | 'blank'
  | 'echo'
  | 'key';

export interface Asked {
  readonly method: string;
  /** The first part of the address, for specs that send requests side by side; empty for others. */
  readonly lane: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A picture of a disc on a ground. */
const disc = (width: number, height: number, ground: string) =>
  sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="${ground}"/><circle cx="50%" cy="40%" r="30%" fill="#a33"/></svg>`,
    ),
  );

/** A picture of the requested size, with something on it. */
export const someJpeg = (width: number, height: number) => disc(width, height, '#7a8').jpeg().toBuffer();

const blank = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#fff' } })
    .png()
    .toBuffer();

export const someCutOut = (width: number, height: number) => disc(width, height, 'none').png().toBuffer();

export abstract class VendorDouble {
  /** The answer of the vision model, if the vendor has one. */
  reading: unknown = {};
  readonly asked: Asked[] = [];
  readonly turns: Turn[] = [];
  private readonly lanes = new Map<string, Turn[]>();
  private readonly heldBack: { readonly part: 'head' | 'body'; readonly ms: number }[] = [];
  private readonly sayings: {
    path: RegExp;
    status: number;
    body: unknown;
    headers: Record<string, string>;
  }[] = [];
  private readonly requestsOf = new Map<string, number>();
  private server: Server | undefined;

  /** Calls that a vendor would take money for. */
  get submissions(): number {
    return this.taken.length;
  }

  submissionsIn(lane: string): number {
    return this.taken.filter((taken) => taken.lane === lane).length;
  }

  /** All requests to an address, including those that cost nothing. */
  requestsIn(lane: string): number {
    return this.requestsOf.get(lane) ?? 0;
  }

  /**
   * The calls that the vendor took in: its submissions, or, in some families, the list of calls that it
   * accepted.
   */
  protected get taken(): readonly { readonly lane?: string }[] {
    return this.asked;
  }

  /**
   * The picture that a turn gives.
   * @param source the picture that an echo gives back
   * @param fine draws in all other turns
   */
  protected async drawn(
    turn: Turn,
    { width, height }: { readonly width: number; readonly height: number },
    source: () => Buffer = () => Buffer.alloc(0),
    fine = someJpeg,
  ): Promise<Buffer> {
    if (turn === 'garbage') return Buffer.from('no picture');
    if (turn === 'format') return someJpeg(900, 300);
    if (turn === 'blank') return blank(width, height);
    return turn === 'echo' ? source() : fine(width, height);
  }

  protected abstract answer(asked: Asked, response: ServerResponse, turn: Turn): Promise<void>;
  protected abstract isSubmission(asked: Asked, method: string): boolean;

  /** Makes an address whose calls have their own turns. */
  lane(name: string, turns: readonly Turn[]): string {
    this.lanes.set(name, [...turns]);
    return `${this.url}/${name}`;
  }

  /** Delays the next answer, or the answer's body after its head. */
  holdBack(part: 'head' | 'body', ms: number): void {
    this.heldBack.push({ part, ms });
  }

  /** Sets the answer to the next request whose path matches. */
  says(path: RegExp, status: number, body: unknown, headers: Record<string, string> = {}): void {
    this.sayings.push({ path, status, body, headers });
  }

  async open(): Promise<string> {
    const server = createServer((request, response) => void this.handle(request, response));
    this.server = server;
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server?.closeAllConnections();
    await new Promise((closed) => this.server?.close(closed));
  }

  get url(): string {
    // The server listens on TCP.
    const address = this.server?.address() as AddressInfo | undefined;
    return `http://127.0.0.1:${address?.port}`;
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const [, first = '', rest = '/'] = /^\/([^/]+)(\/.*)?$/.exec(request.url ?? '') ?? [];
    const lane = this.lanes.has(first) ? first : '';
    this.requestsOf.set(lane, this.requestsIn(lane) + 1);
    const { method = '', headers } = request;
    const body = Buffer.concat(chunks).toString('latin1');
    const asked = { method, lane, path: lane ? rest : (request.url ?? ''), headers, body };
    const submission = this.isSubmission(asked, method);
    if (submission) this.asked.push(asked);
    const turns = this.lanes.get(lane) ?? this.turns;
    const wrong = /\bwrong-/.test(String(headers.authorization ?? headers['x-goog-api-key']));
    const turn = wrong ? 'key' : submission ? (turns.shift() ?? 'fine') : 'fine';
    const saying = this.sayings.findIndex(({ path }) => path.test(asked.path));
    const [said] = saying < 0 ? [] : this.sayings.splice(saying, 1);
    if (said) return json(response, said.status, said.body, said.headers);
    const held = this.heldBack.shift();
    if (held?.part === 'head') await sleep(held.ms);
    if (held?.part === 'body') holdBody(response, held.ms);
    if (turn === 'hang') return;
    if (turn === 'cut') return void request.socket.destroy();
    if (turn === 'torn') tearBody(response);
    // The answer does not arrive.
    if (turn === 'lost') response.writeHead = () => response.destroy();
    await this.answer(asked, response, turn);
  }
}

function tearBody(response: ServerResponse): void {
  response.end = (body?: unknown) => {
    const half = String(body).slice(0, String(body).length / 2);
    response.write(half, () => response.destroy());
    return response;
  };
}

function holdBody(response: ServerResponse, ms: number): void {
  const end = response.end.bind(response) as (body?: unknown) => ServerResponse;
  response.end = (body?: unknown) => {
    response.flushHeaders();
    setTimeout(() => end(body), ms);
    return response;
  };
}

export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
