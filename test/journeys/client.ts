import { setTimeout as sleep } from 'node:timers/promises';

/* A client written from the specification of the interface alone: it imports nothing of this service. */

export interface Artifact {
  readonly image_url: string;
  readonly kind: string;
  readonly role: 'intermediate' | 'final';
  readonly label: string;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly s3_key: string;
  readonly asset_id: string;
}

export interface JobEvent {
  readonly seq: number;
  readonly event_type: 'queued' | 'stage' | 'succeeded' | 'failed';
  readonly visibility: string;
  readonly stage: string;
  readonly message: string;
  readonly artifacts: readonly Artifact[];
  readonly extra: Readonly<Record<string, unknown>>;
  readonly created_at: string;
}

export interface JobHeader {
  readonly public_id: string;
  readonly job_type: string;
  readonly status: 'NOT_STARTED' | 'IN_PROGRESS' | 'SUCCESS' | 'FAILURE';
  readonly created_at: string;
}

export interface JobDetail extends JobHeader {
  readonly result: { readonly artifacts: readonly Artifact[] } | null;
  readonly latest_event: JobEvent;
  readonly children: readonly JobHeader[];
}

export interface Accepted {
  readonly request_id: string;
  readonly job_id: string;
  readonly status: string;
  readonly credits_cost: number;
}

export interface Uploaded {
  readonly upload_key: string;
  readonly image_url: string;
  readonly asset_id: string;
  readonly credentials: object | null;
}

/** A job that has ended, with all its events. */
export interface Finished {
  readonly accepted: Accepted;
  readonly events: readonly JobEvent[];
  readonly job: JobDetail;
}

export class Refused extends Error {
  override readonly name = 'Refused';

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(`${status} ${code}: ${message}`);
  }
}

const pollEveryMs = 200;
const patienceMs = 280_000;

export class Client {
  constructor(
    private readonly baseUrl: string,
    private readonly key: string,
  ) {}

  async upload(bytes: Uint8Array, type = 'image/jpeg'): Promise<Uploaded> {
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(bytes)], { type }), 'picture');
    return this.call('POST', '/v1/uploads', form);
  }

  post<Answer>(path: string, body: object): Promise<Answer> {
    return this.call('POST', path, JSON.stringify(body));
  }

  get<Answer>(path: string): Promise<Answer> {
    return this.call('GET', path);
  }

  async bytes(path: string): Promise<Buffer> {
    const headers = { authorization: `Bearer ${this.key}` };
    const response = await fetch(this.baseUrl + path, { headers });
    if (!response.ok) throw new Error(`${path} answered ${response.status}`);
    return Buffer.from(await response.arrayBuffer());
  }

  dispatch(workflow: string, body: object): Promise<Accepted> {
    return this.post(`/v1/${workflow}`, body);
  }

  /** Dispatch, poll, fetch: the whole life of a job. */
  async run(workflow: string, body: object): Promise<Finished> {
    const accepted = await this.dispatch(workflow, body);
    const events = await this.follow(accepted.job_id);
    const job = await this.get<JobDetail>(`/v1/jobs/${accepted.job_id}`);
    return { accepted, events, job };
  }

  async follow(jobId: string): Promise<JobEvent[]> {
    const events: JobEvent[] = [];
    const deadline = Date.now() + patienceMs;
    for (let since = 0; Date.now() < deadline;) {
      const page = await this.get<{ events: JobEvent[]; latest_seq: number }>(
        `/v1/jobs/${jobId}/events?since=${since}`,
      );
      events.push(...page.events);
      since = page.latest_seq;
      const last = events.at(-1)?.event_type;
      if (last === 'succeeded' || last === 'failed') return events;
      await sleep(pollEveryMs);
    }
    throw new Error(`job ${jobId} did not end within ${patienceMs} ms: ${JSON.stringify(events.at(-1))}`);
  }

  /** A presigned URL needs no key. */
  async download(url: string): Promise<Buffer> {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`the picture's URL answered ${response.status}`);
    return Buffer.from(await response.arrayBuffer());
  }

  private async call<Answer>(method: string, path: string, body?: string | FormData): Promise<Answer> {
    const headers = new Headers({ authorization: `Bearer ${this.key}` });
    if (typeof body === 'string') headers.set('content-type', 'application/json');
    const response = await fetch(this.baseUrl + path, { method, headers, ...(body && { body }) });
    const answer = (await response.json()) as Answer & { error?: { code: string; message: string } };
    if (!response.ok) throw new Refused(response.status, answer.error?.code ?? '', JSON.stringify(answer));
    return answer;
  }
}
