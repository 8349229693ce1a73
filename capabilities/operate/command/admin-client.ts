import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { setTimeout as pause } from 'node:timers/promises';
import { errorCode, messageOf } from '#platform/errors.js';
import { readOperatorToken, readRuntime } from '#platform/home-files.js';
import { homeOf, settingOf } from '#platform/configuration.js';
import { newId } from '#platform/ids.js';
import type { AnyCall, LogProgress } from '#operator-calls/call.js';
import { toJson } from '#operator-calls/output.js';
import { withProgress } from './progress.js';
import { CallRefused, refusals, type RefusalCode } from '#operator-calls/call-refused.js';

/** A long call that the API has started, with its state and its result. */
export interface RunView {
  readonly run_id: string;
  readonly action: string;
  readonly by: string;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly state: 'running' | 'done' | 'refused' | 'failed' | 'cancelled';
  readonly progress: AsText<LogProgress> | null;
  readonly error: string | null;
  readonly result?: unknown;
}

type AsText<T> = { readonly [Name in keyof T]: T[Name] extends bigint ? string : T[Name] };

/** Milliseconds between two looks at a run. */
const lookMs = 200;

/**
 * The operators' API that this command is a client of: the one that ATELIER_ADMIN_URL names, or that of the
 * `npm start` which runs on ATELIER_HOME. Undefined if there is none.
 */
export function findAdminApi(variables: NodeJS.ProcessEnv = process.env): AdminApi | undefined {
  const { ATELIER_ADMIN_URL: url, DATABASE_URL: database } = variables;
  if (url) return new AdminApi(url.replace(/\/+$/, ''), givenToken(variables), true);
  if (database) return undefined;
  const home = homeOf(variables);
  const running = readRuntime(home)?.adminUrl;
  const token = running === undefined ? undefined : readOperatorToken(home);
  return running && token ? new AdminApi(running, token, false) : undefined;
}

function givenToken(variables: NodeJS.ProcessEnv): string {
  try {
    const token = settingOf(variables, 'ATELIER_OPERATOR_TOKEN');
    if (token !== undefined) return token;
  } catch {
    // The file cannot be read. The error below is the same as for a missing token.
  }
  throw new CallRefused(
    'ATELIER_ADMIN_URL needs your token: put it into a file and name the file in ATELIER_OPERATOR_TOKEN_FILE, or set ATELIER_OPERATOR_TOKEN',
  );
}

class AdminApi {
  constructor(
    private readonly url: string,
    private readonly token: string,
    /** True if ATELIER_ADMIN_URL names the API: then it must answer. */
    private readonly required: boolean,
  ) {}

  /** Makes the call. Undefined if nothing listens there. @throws CallRefused with the API's refusal */
  async ask(call: AnyCall, input: object): Promise<{ readonly result: unknown } | undefined> {
    const [method = '', path = ''] = call.route.split(' ');
    const left = new Map(Object.entries(input).filter(([, value]) => value !== undefined && value !== null));
    const filled = path.replace(/:(\w+)/g, (_all, name: string) => {
      const value = String(left.get(name));
      left.delete(name);
      return encodeURIComponent(value);
    });
    const key = call.idempotent ? newId() : undefined;
    const answer = await this.request(method, filled, left, key);
    if (!answer) return undefined;
    if (!call.long) return { result: answer };
    return { result: await this.follow(answer as RunView, call.long) };
  }

  private async follow({ run_id }: RunView, stopped: string): Promise<unknown> {
    const path = `/runs/${run_id}`;
    return withProgress(stopped, async (signal, onProgress) => {
      // Stopping the command also stops the run that it has started.
      signal.addEventListener(
        'abort',
        () => void this.request('DELETE', path, new Map()).catch(() => undefined),
      );
      for (;;) {
        const run = (await this.request('GET', path, new Map())) as RunView;
        signal.throwIfAborted();
        if (run.progress) onProgress(toLogProgress(run.progress));
        if (run.state === 'done') return run.result;
        if (run.state !== 'running') throw new CallRefused(run.error ?? `the run was ${run.state}`);
        await pause(lookMs, undefined, { signal }).catch(() => undefined);
      }
    });
  }

  private async request(
    method: string,
    path: string,
    input: ReadonlyMap<string, unknown>,
    key?: string,
  ): Promise<unknown> {
    const url = new URL(`${this.url}/admin/v1${path}`);
    if (method === 'GET')
      for (const [name, value] of input)
        for (const each of Array.isArray(value) ? value : [value])
          url.searchParams.append(name, String(each));
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: toJson(Object.fromEntries(input)) };
    const headers = {
      authorization: `Bearer ${this.token}`,
      ...(key !== undefined && { 'idempotency-key': key }),
      ...('body' in body && { 'content-type': 'application/json' }),
    };
    const response = await fetch(url, { method, headers, ...body }).catch((error: unknown) => {
      const cause = (error as Error).cause;
      if (!this.required && errorCode(cause) === 'ECONNREFUSED') return undefined;
      throw new CallRefused(
        `${this.url} does not answer (${errorCode(cause) || messageOf(error)}): with --direct the verb works on the database alone`,
        'SERVICE_UNAVAILABLE',
      );
    });
    if (!response) return undefined;
    const notices = JSON.parse(response.headers.get('x-atelier-notice') ?? '[]') as string[];
    for (const notice of notices) process.stderr.write(`atelier: ${notice}\n`);
    const type = response.headers.get('content-type') ?? '';
    const bytes = response.body ?? new ReadableStream<Uint8Array>();
    if (type.startsWith('application/x-ndjson')) return linesOf(bytes);
    if (response.ok && !type.startsWith('application/json')) return Readable.fromWeb(bytes);
    const answer: unknown = await response.json();
    if (response.ok) return answer;
    // Every answer other than success has this body.
    const { error } = answer as { error: { code: string; message: string; request_id: string } };
    const code = (Object.hasOwn(refusals, error.code) ? error.code : 'INTERNAL_ERROR') as RefusalCode;
    const more = response.status >= 500 ? ` (request ${error.request_id})` : '';
    throw new CallRefused(`${error.message}${more}`, code);
  }
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator {
  for await (const line of createInterface({ input: Readable.fromWeb(body as WebStream) }))
    yield JSON.parse(line);
}

function toLogProgress(progress: AsText<LogProgress>): LogProgress {
  const { position, from, through, ...more } = progress;
  return { ...more, position: BigInt(position), from: BigInt(from), through: BigInt(through) };
}
