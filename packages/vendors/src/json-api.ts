import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import { EngineError } from '@atelier/engine';
import { capacityFrom, LostCall, neverSent, refusalOf } from './failures.js';
import type { VendorModel } from './vendor.js';

/** The class of a refusal, by the vendor's documented errors. `said` is undefined if the answer is not JSON. */
type ClassOf = (answer: Response, said: unknown, submitting: boolean) => EngineError;

type Dispatcher = NonNullable<RequestInit['dispatcher']>;

interface Exchange {
  /** The answer's JSON. */
  readonly said: unknown;
  readonly headers: Headers;
}

/** A vendor's JSON API over HTTP, with calls that submit work, poll it and fetch the result. */
export class JsonApi {
  constructor(
    readonly base: string,
    readonly headers: Readonly<Record<string, string>>,
    private readonly classOf: ClassOf,
    /** For a vendor that keeps the request open while it draws: Node itself waits at most 300 s. */
    private readonly dispatcher?: Dispatcher,
  ) {}

  /**
   * Makes one request.
   * @throws EngineError
   */
  async ask(method: 'GET' | 'POST', path: string, signal: AbortSignal, body?: unknown): Promise<unknown> {
    return (await this.exchange(method, path, signal, body)).said;
  }

  /**
   * Makes one request, with headers of its own.
   * @throws EngineError
   */
  async exchange(
    method: 'GET' | 'POST',
    path: string,
    signal: AbortSignal,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Exchange> {
    const answer = await this.send(method, path, signal, body, headers).catch((error: unknown) => {
      if (signal.aborted) throw error;
      throw neverSent(error) ? capacityFrom() : refusalOf('outcome_unknown');
    });
    const text = await answer.text().catch((error: unknown) => {
      if (signal.aborted) throw error;
      return '';
    });
    const said = parsedJson(text);
    if (answer.ok && said !== undefined) return { said, headers: answer.headers };
    throw this.classOf(answer, said, method === 'POST');
  }

  /** Polls until the vendor answers or time is up: polling again does no harm. */
  async look(path: string, signal: AbortSignal): Promise<unknown> {
    for (;;) {
      try {
        return await this.ask('GET', path, signal);
      } catch (error) {
        if (!isPassing(error)) throw error;
        await sleep(error.retryAfterMs ?? 1_000, undefined, { signal });
      }
    }
  }

  /**
   * The unread answer of any status.
   * @throws the errors of `fetch`
   */
  send(
    method: string,
    path: string,
    signal: AbortSignal | undefined,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response> {
    const form = body instanceof FormData;
    return fetch(this.base + path, {
      method,
      headers: { ...this.headers, ...headers, ...(!form && { 'content-type': 'application/json' }) },
      ...(signal && { signal }),
      ...(body !== undefined && { body: form ? body : JSON.stringify(body) }),
      ...(this.dispatcher && { dispatcher: this.dispatcher }),
    });
  }
}

/** Waits for an answer, and between two parts of its body, as long as the model may take. */
export function patient({ timeout_seconds: seconds }: Pick<VendorModel, 'timeout_seconds'>): Dispatcher {
  const limitMs = seconds * 1000;
  // Node types its `fetch` by a version of undici of its own.
  return new Agent({ headersTimeout: limitMs, bodyTimeout: limitMs }) as unknown as Dispatcher;
}

function isPassing(error: unknown): error is EngineError {
  if (!(error instanceof EngineError) || error instanceof LostCall) return false;
  return error.errorClass === 'capacity' || error.errorClass === 'outcome_unknown';
}

/** Undefined if the text is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function dataUrl({
  bytes,
  contentType,
}: {
  readonly bytes: Buffer;
  readonly contentType: string;
}): string {
  return `data:${contentType};base64,${bytes.toString('base64')}`;
}

/**
 * Fetches a picture from a vendor's address, which may be a data URL. The picture is paid, so this retries
 * until time is up.
 */
export async function fetchPicture(
  url: string,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>> = {},
): Promise<Buffer> {
  for (;;) {
    try {
      const answer = await fetch(url, { signal, headers });
      if (answer.ok) return Buffer.from(await answer.arrayBuffer());
      if (answer.status < 500 && answer.status !== 429) throw refusalOf('no_image');
    } catch (error) {
      if (signal.aborted || error instanceof EngineError) throw error;
    }
    await sleep(1_000, undefined, { signal });
  }
}
