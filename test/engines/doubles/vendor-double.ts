import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';

/*
 * Vendors at the socket, written from what they publish of their APIs: OpenAI's images and chat completions
 * (platform.openai.com/docs/api-reference/images, …/guides/error-codes), and fal's queue (docs.fal.ai, model endpoints, queue);
 * the others in files of their own. A test says how the next calls go; what is asked is kept, and the submissions are counted.
 */

export type Turn =
  | 'fine'
  /** Refused for the content of what was drawn, where the vendor has a form of its own for that. */
  | 'unsafe'
  /** The connection breaks when the vendor has taken the call in, or before that. */
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
  /** The first part of the address, for specs that ask side by side; empty for others. */
  readonly lane: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A disc on a ground. */
const disc = (width: number, height: number, ground: string) =>
  sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="${ground}"/><circle cx="50%" cy="40%" r="30%" fill="#a33"/></svg>`,
    ),
  );

/** A picture with something on it, of the size that was asked for. */
export const someJpeg = (width: number, height: number) => disc(width, height, '#7a8').jpeg().toBuffer();

const someCutOut = (width: number, height: number) => disc(width, height, 'none').png().toBuffer();

export abstract class VendorDouble {
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

  /** Everything that was asked of an address, also for nothing. */
  requestsIn(lane: string): number {
    return this.requestsOf.get(lane) ?? 0;
  }

  /** What it has taken in: each submission, or what it keeps of those that it accepted. */
  protected get taken(): readonly { readonly lane?: string }[] {
    return this.asked;
  }

  protected abstract answer(asked: Asked, response: ServerResponse, turn: Turn): Promise<void>;
  protected abstract isSubmission(asked: Asked, method: string): boolean;

  /** An address whose calls have turns of their own. */
  lane(name: string, turns: readonly Turn[]): string {
    this.lanes.set(name, [...turns]);
    return `${this.url}/${name}`;
  }

  /** The next answer takes so long, or its body after its head. */
  holdBack(part: 'head' | 'body', ms: number): void {
    this.heldBack.push({ part, ms });
  }

  /** The next request whose path matches is answered so. */
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
    // Of a server on TCP that listens.
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
    // What it would answer does not arrive.
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

const openAiErrors: Partial<Record<Turn, [status: number, error: object, headers?: Record<string, string>]>> =
  {
    policy: [400, { code: 'moderation_blocked', type: 'image_generation_user_error', message: 'rejected' }],
    bad_input: [
      400,
      { code: 'invalid_image_file', type: 'invalid_request_error', param: 'image[0]', message: 'bad' },
    ],
    quota: [429, { code: 'insufficient_quota', type: 'insufficient_quota', message: 'quota' }],
    busy: [429, { code: 'rate_limit_exceeded', type: 'requests', message: 'slow' }, { 'retry-after': '1' }],
    broken: [500, { code: null, type: 'server_error', message: 'oops' }],
    key: [
      401,
      {
        code: 'invalid_api_key',
        type: 'invalid_request_error',
        message: 'Incorrect API key provided: sk-abc',
      },
    ],
  };

export class OpenAiDouble extends VendorDouble {
  /** What the vision model says. */
  reading: unknown = {};

  protected isSubmission({ path }: Asked, method: string): boolean {
    return method === 'POST' && /images|completions/.test(path);
  }

  protected async answer({ path, body }: Asked, response: ServerResponse, turn: Turn): Promise<void> {
    const failure = openAiErrors[turn];
    const requestId = { 'x-request-id': `req_${this.asked.length}` };
    if (failure) return json(response, failure[0], { error: failure[1] }, { ...requestId, ...failure[2] });
    if (path.includes('/models/'))
      return json(response, 200, { id: path.split('/').at(-1), object: 'model' });
    if (path.includes('completions')) {
      const message = { role: 'assistant', content: JSON.stringify(this.reading) };
      return json(response, 200, { choices: [{ index: 0, message, finish_reason: 'stop' }] }, requestId);
    }
    const size = /(\d{2,4})x(\d{2,4})/.exec(body);
    const data = await this.pictures(turn, Number(size?.[1] ?? 1024), Number(size?.[2] ?? 1024), body);
    json(response, 200, { created: 1, data }, requestId);
  }

  private async pictures(turn: Turn, width: number, height: number, body: string): Promise<object[]> {
    if (turn === 'nothing') return [];
    if (turn === 'garbage') return [{ b64_json: Buffer.from('no picture').toString('base64') }];
    if (turn === 'format') return [{ b64_json: (await someJpeg(900, 300)).toString('base64') }];
    if (turn === 'blank') {
      const white = sharp({ create: { width, height, channels: 3, background: '#fff' } });
      return [{ b64_json: (await white.png().toBuffer()).toString('base64') }];
    }
    if (turn === 'echo') return [{ b64_json: firstPng(body).toString('base64') }];
    const bytes = /background"?[\s:"]+transparent/.test(body)
      ? await someCutOut(width, height)
      : await someJpeg(width, height);
    return [{ b64_json: bytes.toString('base64') }];
  }
}

/** The first picture of a multipart body. */
function firstPng(body: string): Buffer {
  const start = body.indexOf('\u0089PNG');
  const end = body.indexOf('IEND', start) + 8;
  return Buffer.from(body.slice(start, end), 'latin1');
}

const falErrors: Partial<Record<Turn, [status: number, body: object, headers?: Record<string, string>]>> = {
  policy: [422, { detail: [{ type: 'content_policy_violation', msg: 'flagged', loc: ['body'] }] }],
  bad_input: [
    422,
    { detail: [{ type: 'image_load_error', msg: 'cannot load', loc: ['body', 'model_image'] }] },
  ],
  quota: [403, { detail: 'User is locked. Reason: Exhausted balance.' }],
  busy: [429, { detail: 'Too many requests' }, { 'retry-after': '1' }],
  broken: [500, { detail: 'Internal Server Error' }],
  key: [401, { detail: 'Cannot access application' }],
};

export class FalDouble extends VendorDouble {
  /** Requests that were submitted, with how they turn out. */
  readonly requests = new Map<string, { turn: Turn; cancelled: boolean; lane?: string }>();
  /** Requests stay in progress while it is shut. */
  gateShut = false;
  /** Then they do not even begin. */
  queueShut = false;

  protected override get taken() {
    return [...this.requests.values()];
  }

  protected isSubmission({ path }: Asked, method: string): boolean {
    return method === 'POST' && !path.includes('/requests/');
  }

  protected async answer({ lane, path }: Asked, response: ServerResponse, turn: Turn): Promise<void> {
    if (path.startsWith('/files/')) return void response.end(await this.file(path));
    const id = /requests\/([^/]+)/.exec(path)?.[1];
    if (id === undefined) {
      const failure = falErrors[turn];
      // Policy and inputs are judged when the request runs; the rest when it is taken in.
      if (failure && turn !== 'policy' && turn !== 'bad_input')
        return json(response, failure[0], failure[1], failure[2]);
      const requestId = `req-${this.requests.size + 1}`;
      this.requests.set(requestId, { turn, cancelled: false, lane });
      return json(response, 200, { request_id: requestId });
    }
    // What follows a submission goes by the owner and the application alone, without the path of the model.
    if (!/^\/fal-ai\/[^/]+\/requests\//.test(path))
      return json(response, 405, { detail: 'Method Not Allowed' });
    const known = this.requests.get(id);
    if (!known) return json(response, 404, { detail: 'Request not found' });
    if (path.endsWith('/cancel')) {
      if (!this.gateShut) return json(response, 400, { status: 'ALREADY_COMPLETED' });
      known.cancelled = true;
      return json(response, 202, { status: 'CANCELLATION_REQUESTED' });
    }
    if (path.endsWith('/status')) {
      const waits = this.queueShut ? 'IN_QUEUE' : 'IN_PROGRESS';
      return json(response, 200, { status: this.gateShut ? waits : 'COMPLETED' });
    }
    const failure = falErrors[known.turn];
    if (failure) return json(response, failure[0], failure[1]);
    const images = known.turn === 'nothing' ? [] : [{ url: `${this.url}/files/${known.turn}` }];
    json(response, 200, { images });
  }

  private async file(path: string): Promise<Buffer> {
    if (path.endsWith('garbage')) return Buffer.from('no picture');
    if (path.endsWith('format')) return someJpeg(900, 300);
    if (path.endsWith('blank')) {
      return sharp({ create: { width: 864, height: 1296, channels: 3, background: '#fff' } })
        .png()
        .toBuffer();
    }
    return someJpeg(864, 1296);
  }
}
