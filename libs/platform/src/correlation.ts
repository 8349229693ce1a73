import { AsyncLocalStorage } from 'node:async_hooks';

/** The context of one piece of work. All log lines and events of that work carry it. */
export interface Correlation {
  /** The request that set it off. */
  readonly requestId?: string | undefined;
  /** W3C Trace Context: the open span, or the span that a caller or an event named. */
  readonly traceparent?: string | undefined;
  /**
   * How long a request waited for the event store, and whether it went on without the store. Undefined outside
   * requests.
   */
  readonly storeTime?: StoreTime | undefined;
}

/** The state of one request, which changes it. */
export interface StoreTime {
  /** How long the request may wait, all its calls together. */
  readonly patienceMs: number;
  /** By slow calls, in all. */
  waitedMs: number;
  /** A part of the answer was made without the event store, because the store did not answer. */
  didWithout: boolean;
}

/**
 * For work that serves several requests together. It belongs to none of them, and may wait longer than any of
 * them.
 */
export const outsideRequests = { requestId: undefined, traceparent: undefined, storeTime: undefined };

const ambient = new AsyncLocalStorage<Correlation>();
const none: Correlation = {};

/** The correlation of the current work; empty outside any work. */
export function correlation(): Correlation {
  return ambient.getStore() ?? none;
}

/** Runs the work under this correlation. Members that it does not name keep their values. */
export function correlated<T>(named: Correlation, work: () => T): T {
  return ambient.run({ ...ambient.getStore(), ...named }, work);
}

/** The parts of a traceparent that say whose it is. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly sampled: boolean;
}

const pattern = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

/**
 * Undefined for an invalid traceparent. A version after 00 may have further parts, which are dropped
 * (https://www.w3.org/TR/trace-context/#versioning-of-traceparent).
 */
export function parseTraceparent(text: string | undefined): TraceContext | undefined {
  if (text === undefined || text.length > 256) return undefined;
  const match = pattern.exec(text);
  if (!match || (text.startsWith('00') && text.length !== 55)) return undefined;
  // All four groups of the pattern are there when it matches.
  const [, traceId, spanId, flags] = match as unknown as [string, string, string, string];
  return { traceId, spanId, sampled: (parseInt(flags, 16) & 1) === 1 };
}

/** In version 00. */
export function formatTraceparent({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
}

/**
 * A caller's header, checked so that it is safe to store. Undefined when it is malformed: the request then has
 * no trace.
 */
export function acceptTraceparent(header: string | readonly string[] | undefined): string | undefined {
  if (typeof header !== 'string') return undefined;
  const context = parseTraceparent(header.trim());
  return context && formatTraceparent(context);
}
