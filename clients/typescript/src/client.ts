import { ask, type Connection } from './http.js';
import { blobOf, withUploads, type PictureFile } from './pictures.js';
import { follow, Run, type FollowOptions } from './run.js';
import type {
  Accepted,
  Answer,
  GetPath,
  JobEvent,
  ListPath,
  ListRow,
  PathParameters,
  PostAnswer,
  PostBody,
  PostPath,
  Quote,
  QueryParameters,
  Upload,
  WorkflowBody,
  WorkflowName,
} from './types.js';

export interface AtelierOptions {
  /** `sk_live_…` or `sk_test_…`. Keep it on your server. */
  readonly apiKey: string;
  readonly baseUrl: string;
  /** How often a request is sent again that may be. 5 when absent. */
  readonly retries?: number;
  readonly fetch?: typeof fetch;
}

export interface RunOptions {
  /** Aborting it cancels the job, whose credits are given back. */
  readonly signal?: AbortSignal;
  /** Yours, to be safe across restarts of your own process. One is made up when absent. */
  readonly idempotencyKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

type Asked<Path extends GetPath> = PathParameters<Path> &
  QueryParameters<Path> & { readonly signal?: AbortSignal };

const pageSize = 200;

type Page<Row> = Readonly<Record<string, Row[]>> & { readonly next_cursor?: string | null };

export class Atelier {
  private readonly connection: Connection;

  constructor({ apiKey, baseUrl, retries = 5, fetch: doFetch = fetch }: AtelierOptions) {
    this.connection = { apiKey, baseUrl, retries, fetch: doFetch };
  }

  /**
   * Orders pictures. Files in the body are uploaded first. The dispatch is sent until it is answered, under one
   * Idempotency-Key: it is charged once.
   */
  run<Name extends WorkflowName>(workflow: Name, body: WorkflowBody<Name>, options: RunOptions = {}): Run {
    const { signal, idempotencyKey = crypto.randomUUID(), headers } = options;
    // Not aborted with the signal: what became of it must be known, to be cancelled.
    const dispatch = () =>
      this.dispatch<Accepted>(workflow, body, { ...headers, 'idempotency-key': idempotencyKey });
    return new Run(this.connection, dispatch, signal);
  }

  /** What `run` would cost, and whether it would be accepted now. Files in the body are uploaded, nothing is charged. */
  quote<Name extends WorkflowName>(workflow: Name, body: WorkflowBody<Name>): Promise<Quote> {
    return this.dispatch<Quote>(workflow, body, {}, { dry_run: true });
  }

  private async dispatch<Answered>(
    workflow: WorkflowName,
    body: object,
    headers: Readonly<Record<string, string>>,
    query = {},
  ): Promise<Answered> {
    const sent = await this.uploaded(body);
    const request = { body: sent, headers, query, repeatable: true };
    return ask(this.connection, 'POST', `/v1/${workflow}`, request);
  }

  /** The body with the asset id of each file in its place. */
  private uploaded(body: object): Promise<object> {
    return withUploads(body, async (file) => (await this.upload(file)).asset_id);
  }

  /** Keeps a picture: JPEG, PNG or WebP, at most 25 MiB. Its `asset_id` stands wherever a picture does. */
  async upload(file: PictureFile): Promise<Upload> {
    const form = new FormData();
    form.append('file', await blobOf(file), 'picture');
    // Uploading twice leaves a picture that nothing refers to.
    return ask(this.connection, 'POST', '/v1/uploads', { body: form, repeatable: true });
  }

  /** Reads anything: `get('/v1/jobs/{public_id}', { public_id })`. */
  async get<Path extends GetPath>(path: Path, asked: Asked<Path> = {} as Asked<Path>): Promise<Answer<Path>> {
    const { signal, ...parameters } = asked;
    const query: Record<string, unknown> = { ...parameters };
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = String(query[name]);
      delete query[name];
      return encodeURIComponent(value);
    });
    return ask(this.connection, 'GET', filled, { query, signal, repeatable: true });
  }

  /** The rows of a list, newest first, page by page: `list('/v1/jobs', { status: 'SUCCESS' })`. */
  async *list<Path extends ListPath>(
    path: Path,
    asked: Omit<QueryParameters<Path>, 'limit' | 'offset'> = {} as QueryParameters<Path>,
  ): AsyncGenerator<ListRow<Path>> {
    let from: { cursor?: string; offset?: number } = {};
    for (let offset = pageSize; ; offset += pageSize) {
      const request = { query: { ...asked, ...from, limit: pageSize }, repeatable: true };
      const page = await ask<Page<ListRow<Path>>>(this.connection, 'GET', path, request);
      // The one array of the answer holds its rows.
      const rows = Object.values(page).find(Array.isArray) ?? [];
      yield* rows;
      if (rows.length < pageSize) return;
      // A cursor misses and repeats nothing while rows are added; not every list has one.
      from = typeof page.next_cursor === 'string' ? { cursor: page.next_cursor } : { offset };
    }
  }

  /** Creates or asks something with a body: `post('/v1/products', { title, upload_asset_public_id })`. Files are uploaded. */
  async post<Path extends PostPath>(path: Path, body: PostBody<Path>): Promise<PostAnswer<Path>> {
    const sent = await this.uploaded(body);
    return ask(this.connection, 'POST', path, { body: sent, repeatable: false });
  }

  /** The events of a job that was dispatched before, to its last one. */
  follow(jobId: string, options?: FollowOptions): AsyncGenerator<JobEvent> {
    return follow(this.connection, jobId, options);
  }
}
