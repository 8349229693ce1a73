import { ask, type Connection } from './http.js';
import { blobOf, withUploads, type PictureFile } from './pictures.js';
import { follow, Run, type FollowOptions } from './run.js';
import type {
  Accepted,
  Answer,
  Body,
  JobEvent,
  ListPath,
  ListRow,
  Method,
  Parameters,
  PathOf,
  Quote,
  Upload,
  WorkflowBody,
  WorkflowName,
} from './types.js';

export interface AtelierOptions {
  /** `sk_live_…` or `sk_test_…`: keep it on your server. A browser uses a client token: `ct_…`. */
  readonly apiKey: string;
  readonly baseUrl: string;
  /** How many times a repeatable request is sent again. Default: 5. */
  readonly retries?: number;
  readonly fetch?: typeof fetch;
}

export interface RunOptions {
  /** Aborting it cancels the job, whose credits are given back. */
  readonly signal?: AbortSignal;
  /** Your own key, which survives restarts of your process. If absent, the client makes one. */
  readonly idempotencyKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Stoppable {
  readonly signal?: AbortSignal | undefined;
}

/** The parameters of a call: the path's parts, the query, and a signal. Optional if none is required. */
type Asked<Path extends PathOf<Verb>, Verb extends Method> =
  object extends Parameters<Path, Verb>
    ? [asked?: Parameters<Path, Verb> & Stoppable]
    : [asked: Parameters<Path, Verb> & Stoppable];

const pageSize = 200;

/**
 * The types cannot see that an environment variable is unset.
 * @throws TypeError
 */
function requireGiven(options: Readonly<Record<'baseUrl' | 'apiKey', string | undefined>>): void {
  for (const [name, value] of Object.entries(options)) {
    if (typeof value === 'string' && (value !== '' || name === 'apiKey')) continue;
    throw new TypeError(
      `new Atelier({ ${name} }) got ${value === '' ? 'an empty text' : String(value)}: is the environment variable set that it is read from?`,
    );
  }
}

type Page<Row> = Readonly<Record<string, Row[]>> & { readonly next_cursor?: string | null };

export class Atelier {
  private readonly connection: Connection;

  constructor({ apiKey, baseUrl, retries = 5, fetch: doFetch = fetch }: AtelierOptions) {
    requireGiven({ baseUrl, apiKey });
    this.connection = { apiKey, baseUrl, retries, fetch: doFetch };
  }

  /**
   * Orders pictures. Files in the body are uploaded first. The client repeats the dispatch under one
   * Idempotency-Key until it gets an answer, so it is charged once.
   */
  run<Name extends WorkflowName>(workflow: Name, body: WorkflowBody<Name>, options: RunOptions = {}): Run {
    const { signal, idempotencyKey = crypto.randomUUID(), headers } = options;
    const dispatch = () =>
      this.dispatch<Accepted>(workflow, body, { ...headers, 'idempotency-key': idempotencyKey }, {}, signal);
    return new Run(this.connection, dispatch, signal);
  }

  /**
   * The price of `run`, and whether it would be accepted now. Uploads files in the body, but charges nothing.
   */
  quote<Name extends WorkflowName>(
    workflow: Name,
    body: WorkflowBody<Name>,
    { signal }: Stoppable = {},
  ): Promise<Quote> {
    return this.dispatch<Quote>(workflow, body, {}, { dry_run: true }, signal);
  }

  private async dispatch<Answered>(
    workflow: WorkflowName,
    body: object,
    headers: Readonly<Record<string, string>>,
    query: object,
    signal: AbortSignal | undefined,
  ): Promise<Answered> {
    const sent = await this.uploaded(body, signal);
    signal?.throwIfAborted();
    // The dispatch itself ignores the signal: a job can only be cancelled once its id is known.
    return ask(this.connection, 'POST', `/v1/${workflow}`, { body: sent, headers, query, repeatable: true });
  }

  /** The body with the asset id of each file in its place. */
  private uploaded(body: object, signal: AbortSignal | undefined): Promise<object> {
    return withUploads(body, async (file) => (await this.upload(file, { signal })).asset_id);
  }

  /** Keeps a picture: JPEG, PNG or WebP, at most 25 MiB. Its `asset_id` works in every picture field. */
  async upload(file: PictureFile, { signal }: Stoppable = {}): Promise<Upload> {
    const form = new FormData();
    form.append('file', await blobOf(file), 'picture');
    // A repeated upload only leaves a picture that nothing refers to.
    return ask(this.connection, 'POST', '/v1/uploads', { body: form, signal, repeatable: true });
  }

  /** A GET by path: `get('/v1/jobs/{public_id}', { public_id })`. */
  get<Path extends PathOf<'get'>>(path: Path, ...[asked]: Asked<Path, 'get'>): Promise<Answer<Path>> {
    return this.call('GET', path, undefined, asked);
  }

  /** The rows of a list, newest first, page by page: `list('/v1/jobs', { status: 'SUCCESS' })`. */
  async *list<Path extends ListPath>(
    path: Path,
    ...[asked]: Asked<Path, 'get'>
  ): AsyncGenerator<ListRow<Path>> {
    let from: { cursor?: string; offset?: number } = {};
    for (let offset = pageSize; ; offset += pageSize) {
      const part = { ...asked, ...from, limit: pageSize };
      const page = await this.call<Page<ListRow<Path>>>('GET', path, undefined, part);
      // The one array of the answer holds its rows.
      const rows = Object.values(page).find(Array.isArray) ?? [];
      yield* rows;
      if (rows.length < pageSize) return;
      // A cursor avoids gaps and repeats when rows are added meanwhile. Lists without a cursor use the offset.
      from = typeof page.next_cursor === 'string' ? { cursor: page.next_cursor } : { offset };
    }
  }

  /**
   * A POST by path: `post('/v1/products', { title, upload_asset_public_id })`. Files in the body are uploaded.
   */
  post<Path extends PathOf<'post'>>(
    path: Path,
    body: Body<Path, 'post'>,
    ...[asked]: Asked<Path, 'post'>
  ): Promise<Answer<Path, 'post'>> {
    return this.call('POST', path, body, asked);
  }

  /** A PATCH by path: `patch('/v1/products/{public_id}', { title }, { public_id })`. */
  patch<Path extends PathOf<'patch'>>(
    path: Path,
    body: Body<Path, 'patch'>,
    ...[asked]: Asked<Path, 'patch'>
  ): Promise<Answer<Path, 'patch'>> {
    return this.call('PATCH', path, body, asked);
  }

  delete<Path extends PathOf<'delete'>>(
    path: Path,
    ...[asked]: Asked<Path, 'delete'>
  ): Promise<Answer<Path, 'delete'>> {
    return this.call('DELETE', path, undefined, asked);
  }

  private async call<Answered>(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body: object | undefined,
    asked: object = {},
  ): Promise<Answered> {
    // No path has a parameter called `signal`.
    const { signal, ...query } = asked as Stoppable & Record<string, unknown>;
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = String(query[name]);
      delete query[name];
      return encodeURIComponent(value);
    });
    const repeatable = method === 'GET' || method === 'DELETE';
    const sent = body && (await this.uploaded(body, signal));
    return ask(this.connection, method, filled, { ...(sent && { body: sent }), query, signal, repeatable });
  }

  /** The events of an earlier job, up to its last one. */
  follow(jobId: string, options?: FollowOptions): AsyncGenerator<JobEvent> {
    return follow(this.connection, jobId, options);
  }
}
