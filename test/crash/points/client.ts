import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '#platform/ids.js';
import type { Customer, World } from './world.js';

/** The answer of a client, if it got one. */
export interface Answer {
  readonly jobId: string;
  readonly requestId: string;
}

/** A client of the API. Some of its methods repeat a request until it is answered. */
export class Client {
  constructor(
    readonly world: World,
    readonly customer: Customer,
    readonly signal: AbortSignal,
  ) {}

  post(path: string, body: object | undefined, key?: string, prefer?: string): Promise<Reply | undefined> {
    return this.send('POST', path, { body, key, prefer });
  }

  delete(path: string, key: string): Promise<Reply | undefined> {
    return this.send('DELETE', path, { key });
  }

  private async send(
    method: 'POST' | 'DELETE',
    path: string,
    {
      body,
      key,
      prefer,
    }: { body?: object | undefined; key?: string | undefined; prefer?: string | undefined },
  ): Promise<Reply | undefined> {
    try {
      const response = await fetch(`${this.world.url}/v1/${path}`, {
        method,
        headers: {
          authorization: `Bearer ${this.customer.key}`,
          ...(body && { 'content-type': 'application/json' }),
          ...(key !== undefined && { 'idempotency-key': key }),
          ...(prefer !== undefined && { prefer }),
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.any([AbortSignal.timeout(10_000), this.signal]),
      });
      return { status: response.status, body: (await response.json()) as Reply['body'] };
    } catch {
      // The outcome of the request is unknown: the process behind it may have died.
      return undefined;
    }
  }

  /** One dispatch that is not repeated. */
  async dispatch(path: string, body: object, prefer?: string): Promise<Answer[]> {
    const reply = await this.post(path, body, undefined, prefer);
    return reply && reply.status < 300 ? [answerOf(reply)] : [];
  }

  /** One dispatch, repeated with its Idempotency-Key until it is answered. */
  async dispatchUntilAnswered(path: string, body: object, key: string = newId()): Promise<Answer[]> {
    return [answerOf(await this.until(() => this.post(path, body, key), [409, 503]))];
  }

  /** Between two tries. @throws when the run is over */
  async pause(): Promise<void> {
    this.signal.throwIfAborted();
    await sleep(25);
  }

  /** A read, tried again while the API is away. */
  async get<Body>(path: string): Promise<Body> {
    for (;;) {
      const response = await fetch(`${this.world.url}/v1/${path}`, {
        headers: { authorization: `Bearer ${this.customer.key}` },
        signal: AbortSignal.timeout(10_000),
      }).catch(() => undefined);
      if (response?.status === 200) return (await response.json()) as Body;
      if (response && response.status !== 503)
        throw new Error(`${path}: ${response.status} ${await response.text()}`);
      await this.pause();
    }
  }

  async sumOfTransactions(): Promise<number> {
    let sum = 0;
    for (let offset = 0, total = 1; offset < total; offset += 200) {
      const page = await this.get<{ items: { credits_delta: number }[]; total: number }>(
        `transactions?limit=200&offset=${offset}`,
      );
      for (const { credits_delta: delta } of page.items) sum += delta;
      total = page.total;
    }
    return sum;
  }

  /** Repeats a request until an answer has none of the statuses in `again`. */
  async until(
    ask: () => Promise<Reply | undefined>,
    again: readonly number[],
    good: readonly number[] = [200, 202],
  ): Promise<Reply> {
    for (;;) {
      const reply = await ask();
      if (reply && !again.includes(reply.status)) {
        if (!good.includes(reply.status)) throw new Error(`${reply.status} ${JSON.stringify(reply.body)}`);
        return reply;
      }
      await this.pause();
    }
  }
}

interface Reply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

function answerOf({ body }: Reply): Answer {
  const jobId = body['job_id'] ?? body['public_id'];
  return { jobId: String(jobId), requestId: String(body['request_id']) };
}
