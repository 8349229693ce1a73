import { setTimeout as sleep } from 'node:timers/promises';
import { uploadBlank } from '../../support/blank-picture.js';

/** An installation as a caller needs it: its addresses, and the operators' command that opens its account. */
interface Service {
  readonly apis: readonly string[];
  command(...args: string[]): Promise<Record<string, unknown>>;
}

interface Dispatch {
  readonly key: string;
  readonly path: string;
  readonly body: object;
}

/**
 * How long a careful caller repeats a dispatch before it counts as never answered: longer than a busy machine
 * takes.
 */
const patienceMs = 600_000;

/** The credits of a new account. */
export const credits = 10_000_000;

/**
 * A careful caller. It repeats each dispatch with its Idempotency-Key, alternating between the two APIs, until
 * one accepts it.
 */
export class Caller {
  /** The job that each dispatch was accepted with. */
  readonly accepted = new Map<string, { readonly jobId: string; readonly dispatch: Dispatch }>();
  /** The number of answers that a correct service never gives. */
  otherAnswers = 0;
  neverAnswered = 0;

  private constructor(
    private readonly apis: readonly string[],
    readonly tenant: string,
    private readonly apiKey: string,
    private readonly blank: string,
  ) {}

  static async open({ apis, command }: Service): Promise<Caller> {
    const generous = ['--credits', String(credits), '--daily-cap', '10000000', '--rate-limit', '1000000'];
    const create = ['tenants', 'create', '--name', 'Campaign', '--env', 'test', ...generous];
    const tenant = String((await command(...create))['tenant_id']);
    const issue = ['keys', 'issue', '--tenant', tenant, '--env', 'test'];
    const issued = await command(...issue, '--capabilities', 'jobs:create,jobs:read');
    const apiKey = String(issued['key']);
    const { upload_key: blank } = await uploadBlank(apis[0] ?? '', apiKey);
    return new Caller(apis, tenant, apiKey, blank);
  }

  /**
   * Most dispatches fail fast on a blank photograph and are refunded; one in `drawnEvery` is drawn and settled.
   */
  async dispatch(key: string, drawn: boolean): Promise<void> {
    const dispatch = drawn
      ? { key, path: 'model-generator', body: { seed: 7 } }
      : { key, path: 'product-to-model-direct', body: { product_image_s3_key: this.blank } };
    const jobId = await this.untilAccepted(dispatch);
    if (jobId === undefined) this.neverAnswered += 1;
    else this.accepted.set(key, { jobId, dispatch });
  }

  /** Repeats each accepted dispatch once more: the answer must name the same job. */
  async repeatAll(): Promise<void> {
    for (const { jobId, dispatch } of this.accepted.values()) {
      const again = await this.untilAccepted(dispatch);
      if (again !== jobId) this.noteOther(`${dispatch.key}: ${jobId}, then ${again}`);
    }
  }

  private noteOther(answer: string): void {
    this.otherAnswers += 1;
    console.log(answer);
  }

  private async untilAccepted({ key, path, body }: Dispatch): Promise<string | undefined> {
    let last: number | undefined;
    for (let attempt = 0, end = Date.now() + patienceMs; Date.now() < end; attempt++) {
      const answer = await this.ask(`/v1/${path}`, attempt, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', 'idempotency-key': key },
      });
      if (answer?.status === 202) return ((await answer.json()) as { job_id: string }).job_id;
      // 409: an earlier try holds the key. 503: the store was away. The caller tries again after both.
      if (answer && ![409, 503].includes(answer.status)) {
        this.noteOther(`${key}: ${answer.status} ${await answer.text()}`);
        return undefined;
      }
      last = answer?.status;
      await sleep(150);
    }
    console.log(`${key} was never accepted: ${last ?? 'no answer'} at last`);
    return undefined;
  }

  /** Every row of a list. */
  async all<Row>(path: string): Promise<Row[]> {
    const rows: Row[] = [];
    for (let more = true; more;) {
      const page = await this.get<{ items?: Row[]; jobs?: Row[] }>(`${path}?limit=200&offset=${rows.length}`);
      const items = page.items ?? page.jobs ?? [];
      rows.push(...items);
      more = items.length === 200;
    }
    return rows;
  }

  /** A read, repeated until it is answered. */
  async get<Body>(path: string): Promise<Body> {
    for (let attempt = 0; ; attempt++) {
      const answer = await this.ask(path, attempt);
      if (answer?.status === 200) return (await answer.json()) as Body;
      await sleep(200);
    }
  }

  private async ask(path: string, attempt: number, init: RequestInit = {}): Promise<Response | undefined> {
    const api = this.apis[attempt % this.apis.length] ?? '';
    const headers = { ...init.headers, authorization: `Bearer ${this.apiKey}` };
    const signal = AbortSignal.timeout(15_000);
    return fetch(api + path, { ...init, headers, signal }).catch(() => undefined);
  }
}
