import type { FastifyRequest } from 'fastify';
import { invalid } from '../errors/api-error.js';
import type { JobEventResponse } from './jobs.dto.js';

/** How often a stream without events shows that it lives: proxies cut what is silent for longer, 30 s and up. */
export const heartbeatMs = 15_000;

/** Sent first, so that the headers go out at once; the pause before a client comes again, in milliseconds. */
export const preface = 'retry: 2000\n\n';

export const heartbeat = ': still there\n\n';

/** One event of a job in the format of server-sent events. JSON holds no line breaks, so one `data` line does. */
export function sentEvent(event: JobEventResponse): string {
  return `id: ${event.seq}\nevent: ${event.event_type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Whether the caller would rather have a stream than JSON; of two that it likes equally, the one it names first. */
export function prefersEventStream(accept: string | undefined): boolean {
  const ranges = (accept ?? '').split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    return { type, quality: quality === undefined ? 1 : Number(quality) };
  });
  const stream = ranges.findIndex(({ type, quality }) => type === 'text/event-stream' && quality > 0);
  if (stream < 0) return false;
  const json = ranges.findIndex(({ type }) => type === 'application/json');
  if (json < 0) return true;
  const [ofStream, ofJson] = [ranges[stream]?.quality ?? 0, ranges[json]?.quality ?? 0];
  return ofStream === ofJson ? stream < json : ofStream > ofJson;
}

/** Where a client that was cut off goes on. It still asks for the URL it began with, so this beats its `since`. */
export function lastEventId({ headers }: FastifyRequest): number | undefined {
  const id = headers['last-event-id'];
  if (id === undefined || id === '') return undefined;
  if (typeof id === 'string' && /^\d{1,10}$/.test(id)) return Number(id);
  const msg = 'is not an id that this stream gave: repeat it as you got it, or leave it out';
  throw invalid([{ loc: ['header', 'Last-Event-ID'], msg, type: 'value' }]);
}
