import type { ReadAllOptions, RecordedEvent } from '../event-store.js';
import type { Client } from './client.js';
import { NoAnswer } from './failures.js';
import { Feed } from './feed.js';
import { pageSize } from './reads.js';

/**
 * One page of the log. The client's own read of it takes no filter and counts from a position that is included, so the
 * page is the beginning of a subscription, up to the limit or to the end of the log.
 */
export async function readAll(
  client: Client,
  { after, filter, limit }: ReadAllOptions,
  timeoutMs: number,
): Promise<RecordedEvent[]> {
  const size = pageSize(limit);
  const feed = new Feed(client, { after, filter });
  const events: RecordedEvent[] = [];
  try {
    while (events.length < size) {
      const event = feed.read();
      if (event) events.push(event);
      else if (feed.failure) throw feed.failure;
      else if (feed.caughtUp) break;
      else if (!(await feed.change(timeoutMs))) throw new NoAnswer(`no answer within ${timeoutMs} ms`);
    }
    return events;
  } finally {
    feed.close();
  }
}
