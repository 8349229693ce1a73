import { request as httpRequest } from 'node:http';
import { expect } from 'vitest';
import { InterfaceDescription, type Exchange } from '../../support/interface-description.js';

// These specs check the shapes of answers, so bodies are read without types.
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
}

export interface Call {
  readonly key?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is. */
  readonly body?: string | FormData | Uint8Array<ArrayBuffer>;
}

/** The description that each API serves as well: test/api/openapi. */
let description: InterfaceDescription | undefined;

/** Calls one instance of the API over its socket, and checks every exchange against openapi.json. */
export class ApiClient {
  constructor(readonly url: string) {}

  async call(method: string, path: string, { key, headers, json, body }: Call = {}): Promise<Answer> {
    const sent = body ?? (json === undefined ? undefined : JSON.stringify(json));
    const response = await fetch(path.startsWith('http') ? path : this.url + path, {
      method,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(sent === undefined ? {} : { body: sent }),
    });
    const text = await response.text();
    const contentType = response.headers.get('content-type');
    const { status, headers: answered } = response;
    const answer = {
      status,
      headers: answered,
      body: contentType?.includes('json') ? JSON.parse(text) : text,
    };
    if (path.startsWith('/v1/')) this.judge({ method, path, json, contentType, ...answer });
    return answer;
  }

  judge(exchange: Exchange): void {
    description ??= InterfaceDescription.committed();
    const problems = description.problemsOf(exchange);
    if (problems.length === 0) return;
    const { method, path, status } = exchange;
    throw new Error(`${method} ${path} → ${status} is not what openapi.json says:\n${problems.join('\n')}`);
  }

  get(path: string, key?: string, headers?: Record<string, string>): Promise<Answer> {
    return this.call('GET', path, { key, ...(headers && { headers }) });
  }

  post(path: string, key: string, json: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.call('POST', path, { key, json, ...(headers && { headers }) });
  }

  /** Uploads bytes as the one field `file`. */
  upload(key: string, bytes: Uint8Array, name = 'picture.png'): Promise<Answer> {
    const form = new FormData();
    form.append('file', new Blob([bytes], { type: 'image/png' }), name);
    return this.call('POST', '/v1/uploads', { key, body: form });
  }

  /** Sends a request that `fetch` would not send: any path, and headers and bytes unchanged. */
  raw(path: string, headers: Record<string, string> = {}): Promise<{ status: number; text: string }> {
    const { hostname, port } = new URL(this.url);
    return new Promise((resolve, reject) => {
      const request = httpRequest({ hostname, port, path, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      });
      request.on('error', reject).end();
    });
  }
}

/** An answer of the error envelope, and nothing beside it. */
export function expectError(answer: Answer, status: number, code: string): void {
  expect({ status: answer.status, code: answer.body?.error?.code }).toEqual({ status, code });
  expect(Object.keys(answer.body).sort()).toEqual(status === 422 ? ['detail', 'error'] : ['error']);
  expect(Object.keys(answer.body.error).sort()).toEqual(['code', 'docs_url', 'message', 'request_id']);
  expect(answer.body.error.docs_url).toBe(`/docs/guides/errors#${code.toLowerCase()}`);
  expect(answer.body.error.request_id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
  expect(answer.headers.get('x-request-id')).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
}

/** The fields that a 422 complains about, as paths. */
export function complaints(answer: Answer): string[] {
  return (answer.body.detail as { loc: (string | number)[] }[]).map(({ loc }) => loc.join('.'));
}
