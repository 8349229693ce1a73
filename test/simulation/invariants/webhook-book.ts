import type { AuditedEvent } from '#capabilities/operate/audit/audited-event.js';
import type { WebhookMessage } from '#capabilities/webhooks/webhook-message.js';
import type { EventOfType } from '#domain/events.js';
import type { WebhookMessageType } from '#capabilities/webhooks/webhook.events.js';
import type { JudgedHistory } from '../../support/judged-history.js';
import type { Report } from './price-book.js';

type Endpoint = EventOfType<'WebhookEndpointRegistered'>['data'];

/** The calls that an endpoint's server got about one thing. */
interface Heard {
  /** The `webhook-id` of its first call. */
  readonly id: string;
  calls: number;
  taken: boolean;
}

/** More calls than a delivery has attempts: a server that got this many calls was not just away. */
const manyCalls = 11;

/**
 * Webhooks: each event that an endpoint wants of its tenant is delivered at least once, under one id, and
 * nothing else is. The book judges the content of messages, not the ids that the code under test derives.
 */
export class WebhookBook {
  private readonly endpoints: Endpoint[] = [];
  /** Messages that the current log requires, by address and content. */
  private readonly due = new Set<string>();
  /** Jobs whose words were erased. A message about them that was not sent yet is not sent any more. */
  private readonly erased = new Set<string>();
  private heard = new Map<string, Heard>();
  /** Messages about events that a restore has removed; they may still be delivered. */
  private lost: ReadonlySet<string> = new Set();

  constructor(
    private readonly report: Report,
    private readonly history: JudgedHistory,
  ) {}

  /**
   * The calls so far, without those about erased jobs: the rows that show them as made are erased as well, so an event that
   * is handled once more is told once more, under the same id.
   */
  get sent(): number {
    return [...this.heard].reduce(
      (sum, [key, { calls }]) => (this.isAboutErased(key) ? sum : sum + calls),
      0,
    );
  }

  /** Call it after the history has the event. */
  observe(event: AuditedEvent): void {
    if (event.type === 'WebhookEndpointRegistered') this.endpoints.push(event.data);
    if (event.type === 'JobErased' && event.data.words) this.erased.add(event.streamId);
    const { tenant, recordedAt } = event.recorded.metadata;
    for (const endpoint of this.endpoints) {
      if (endpoint.tenant !== tenant) continue;
      for (const [type, about] of this.contentsOf(event, endpoint))
        if (endpoint.events.some((topic) => topic === type))
          this.due.add(keyOf(endpoint.url, type, about, recordedAt));
    }
  }

  /** Records a call of an endpoint's server. @returns a function that records the server's answer */
  called(url: string, id: string, body: string): (taken: boolean) => void {
    const { type, timestamp, data } = JSON.parse(body) as WebhookMessage;
    const about = 'job_id' in data ? String(data.job_id) : 'balance' in data ? String(data.balance) : '';
    const key = keyOf(url, type, about, timestamp);
    if (!this.due.has(key) && !this.lost.has(key)) this.report(`webhooks: ${key} tells what is not so`);
    const heard = this.heard.get(key) ?? { id, calls: 0, taken: false };
    this.heard.set(key, heard);
    heard.calls += 1;
    if (heard.id !== id) this.report(`webhooks: ${key} comes again under another id`);
    return (taken) => (heard.taken ||= taken);
  }

  takeOver({ due, lost, heard }: WebhookBook): void {
    this.lost = new Set([...lost, ...due]);
    this.heard = heard;
  }

  atRest(): void {
    for (const key of this.due) {
      if (this.isAboutErased(key)) continue;
      const { taken = false, calls = 0 } = this.heard.get(key) ?? {};
      if (!taken && calls < manyCalls) this.report(`webhooks: ${key} was not delivered, in ${calls} calls`);
    }
  }

  private isAboutErased(key: string): boolean {
    return this.erased.has(/ of (\S+) at /.exec(key)?.[1] ?? '');
  }

  private contentsOf(event: AuditedEvent, { creditsLowBelow }: Endpoint): [WebhookMessageType, string][] {
    switch (event.type) {
      case 'JobSucceeded':
      case 'JobFailed':
      case 'JobCancelled': {
        const ended = event.type === 'JobSucceeded' ? 'job.succeeded' : 'job.failed';
        const isBatch = this.history.jobs.get(event.streamId)?.childJobIds !== undefined;
        const types: WebhookMessageType[] = isBatch ? [ended, 'batch.finished'] : [ended];
        return types.map((type) => [type, event.streamId]);
      }
      case 'CreditsDebited': {
        const balance = this.history.balanceOf(event.streamId);
        const isCrossed = balance < creditsLowBelow && balance + event.data.amount >= creditsLowBelow;
        return isCrossed ? [['credits.low', String(balance)]] : [];
      }
      default:
        return [];
    }
  }
}

function keyOf(url: string, type: string, about: string, timestamp: string): string {
  return `${type} of ${about} at ${timestamp} for ${url}`;
}
