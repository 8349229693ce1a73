import { setTimeout as pause } from 'node:timers/promises';

export interface PictureLink {
  readonly image_url: string;
  readonly kind: string;
  readonly role: 'intermediate' | 'final';
  readonly label: string;
}

interface TimelineEvent {
  readonly event_type: 'queued' | 'stage' | 'succeeded' | 'failed';
  readonly stage: string;
  readonly message: string;
  readonly artifacts: readonly PictureLink[];
}

export interface LedgerEntry {
  readonly id: string;
  readonly label: string;
  readonly credits_delta: number;
  readonly status: string;
  readonly created_at: string;
}

const pollEveryMs = 150;
const ledgerPage = 50;

/** A client like an integrator's. It uses only HTTP, with an API key. */
export class DemoClient {
  constructor(
    private readonly baseUrl: string,
    private readonly key: string,
    private readonly signal: AbortSignal,
  ) {}

  upload(image: Buffer, name: string): Promise<{ upload_key: string; asset_id: string }> {
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(image)], { type: 'image/jpeg' }), name);
    return this.call('/v1/uploads', { method: 'POST', body: form });
  }

  dispatch(
    workflow: string,
    body: object,
  ): Promise<{ request_id: string; job_id: string; credits_cost: number }> {
    const headers = { 'content-type': 'application/json' };
    return this.call(`/v1/${workflow}`, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  /** The job's events as they come, up to and including the last one. */
  async *timeline(job: string): AsyncGenerator<TimelineEvent> {
    for (let since = 0; ;) {
      const path = `/v1/jobs/${job}/events?since=${since}`;
      const page = await this.call<{ events: TimelineEvent[]; latest_seq: number }>(path);
      for (const event of page.events) {
        yield event;
        if (event.event_type === 'succeeded' || event.event_type === 'failed') return;
      }
      since = page.latest_seq;
      await pause(pollEveryMs, undefined, { signal: this.signal });
    }
  }

  credits(): Promise<{ balance: number }> {
    return this.call('/v1/credits');
  }

  async ledger(): Promise<LedgerEntry[]> {
    const entries: LedgerEntry[] = [];
    for (;;) {
      const path = `/v1/transactions?limit=${ledgerPage}&offset=${entries.length}`;
      const { items, total } = await this.call<{ items: LedgerEntry[]; total: number }>(path);
      entries.push(...items);
      if (items.length === 0 || entries.length >= total) return entries;
    }
  }

  /** Follows the presigned URL of an artifact: without the key. */
  async download({ image_url: url }: PictureLink): Promise<Buffer> {
    const response = await fetch(url, { signal: this.signal });
    if (!response.ok) throw new Error(`GET ${new URL(url).pathname} answered ${response.status}`);
    return Buffer.from(await response.arrayBuffer());
  }

  private async call<Answer>(path: string, init: RequestInit = {}): Promise<Answer> {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${this.key}`);
    const response = await fetch(`${this.baseUrl}${path}`, { ...init, headers, signal: this.signal });
    const text = await response.text();
    if (!response.ok) {
      throw new Error(`${init.method ?? 'GET'} ${path} answered ${response.status}: ${text.slice(0, 300)}`);
    }
    // The demo trusts the interface: each caller gives the type that is documented for its path.
    return JSON.parse(text) as Answer;
  }
}
