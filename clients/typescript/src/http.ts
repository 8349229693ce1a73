import { AtelierError, ConnectionError, errorOf } from './errors.js';

export interface Connection {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly fetch: typeof fetch;
  /** How many times a repeatable request is sent again. */
  readonly retries: number;
}

export interface Request {
  readonly query?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, unless it is a form. */
  readonly body?: object;
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether sending it twice has the same effect as sending it once. If not, it is only sent again when the
   * first attempt certainly had no effect.
   */
  readonly repeatable: boolean;
}

const longestPauseMs = 30_000;

/**
 * Half of the pause is random, so that clients that lost their connection together do not all return at once.
 */
export function backoffMs(attempt: number): number {
  const whole = Math.min(250 * 2 ** attempt, longestPauseMs);
  return whole / 2 + (Math.random() * whole) / 2;
}

/** @throws the signal's reason */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
  });
  signal?.throwIfAborted();
}

const passing = new Set([408, 429, 500, 502, 503, 504]);

function mayBeRepeated({ status, code }: AtelierError, repeatable: boolean): boolean {
  // The service refused the request before it had any effect.
  if (status === 429) return true;
  return repeatable && (passing.has(status) || code === 'IDEMPOTENCY_KEY_IN_USE');
}

/**
 * Repeats a request until it gets an answer, and returns a successful one.
 * @throws AtelierError when the service refuses; ConnectionError when no answer came; the signal's reason
 */
export async function send(
  { baseUrl, apiKey, fetch: doFetch, retries }: Connection,
  method: string,
  path: string,
  { query = {}, headers = {}, body, signal, repeatable }: Request,
): Promise<Response> {
  const url = new URL(baseUrl.replace(/\/$/, '') + path);
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined) url.searchParams.append(name, String(each));
    }
  }
  const sent = body instanceof FormData ? body : body && JSON.stringify(body);
  const init: RequestInit = {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(typeof sent === 'string' && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(sent !== undefined && { body: sent }),
    ...(signal && { signal }),
  };
  for (let attempt = 0; ; attempt++) {
    const answer = await doFetch(url, init).then(
      async (response) => (response.ok ? response : await errorOf(response)),
      (cause: unknown) => new ConnectionError(`${method} ${url.href} was not answered`, { cause }),
    );
    if (!(answer instanceof Error)) return answer;
    signal?.throwIfAborted();
    const refusal = answer instanceof AtelierError ? answer : undefined;
    const again = refusal ? mayBeRepeated(refusal, repeatable) : repeatable;
    if (!again || attempt >= retries) throw answer;
    await pause(Math.max(refusal?.retryAfterMs ?? 0, backoffMs(attempt)), signal);
  }
}

/** Like `send`, but also reads the answer. openapi.json describes its form. */
export async function ask<Answered>(...request: Parameters<typeof send>): Promise<Answered> {
  const response = await send(...request);
  const text = await response.text();
  // The cast is safe: the types come from openapi.json, and the service is tested against it. In these types an
  // answer without content is `undefined`.
  return (text === '' ? undefined : JSON.parse(text)) as Answered;
}
