import type { RecordedEvent } from '#event-store/event-store.js';

/** An event, and its size as JSON. */
export interface Weighed {
  readonly event: RecordedEvent;
  readonly bytes: number;
}

/** One append: events that follow each other in one stream. */
export interface PlannedAppend {
  readonly stream: string;
  readonly expected: bigint | 'no-stream';
  readonly events: RecordedEvent[];
}

interface PlannedPlace {
  readonly wave: number;
  readonly append: PlannedAppend;
  bytes: number;
}

/** Well below the limit of any server; a larger event is appended alone. */
const maxAppendBytes = 512 * 1024;

/**
 * Arranges events, given in log order, in waves of appends. The appends of one wave may run at the same time, and the
 * next wave begins when all of them are done. It keeps this order:
 * - the events of a stream stay in order;
 * - the events of one request (`metadata.requestId`) stay in order, across streams.
 * Together that keeps every cause before its effect. Two given events that neither a stream nor a chain of requests
 * connects may change places; no reader depends on their order.
 */
export function planWaves(events: readonly Weighed[]): PlannedAppend[][] {
  const waves: PlannedAppend[][] = [];
  const streams = new Map<string, PlannedPlace>();
  const requests = new Map<string, { readonly stream: string; readonly wave: number }>();
  for (const { event, bytes } of events) {
    const { stream, revision } = event;
    const before = streams.get(stream);
    const request = requestOf(event);
    const cause = request === undefined ? undefined : requests.get(request);
    const after = cause === undefined ? 0 : cause.stream === stream ? cause.wave : cause.wave + 1;
    let wave = Math.max(before?.wave ?? 0, after);
    if (before?.wave === wave && before.bytes + bytes > maxAppendBytes) wave += 1;
    if (before?.wave === wave) {
      before.append.events.push(event);
      before.bytes += bytes;
    } else {
      const expected = revision === 0n ? 'no-stream' : revision - 1n;
      const append: PlannedAppend = { stream, expected, events: [event] };
      (waves[wave] ??= []).push(append);
      streams.set(stream, { wave, append, bytes });
    }
    if (request !== undefined) requests.set(request, { stream, wave });
  }
  return waves;
}

/** Other writers to the store may append events without our metadata. */
function requestOf({ metadata }: RecordedEvent): string | undefined {
  const { requestId } = metadata as { requestId?: unknown };
  return typeof requestId === 'string' ? requestId : undefined;
}
