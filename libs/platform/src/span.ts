export type SpanKind = 'server' | 'consumer' | 'internal';

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanOptions {
  readonly kind?: SpanKind;
  /** The traceparent of the parent span. Absent: the span that is open in this work. */
  readonly parent?: string | undefined;
  /** Traceparents of further spans that it has to do with. */
  readonly links?: readonly string[];
  readonly attributes?: Attributes;
  /** `performance.now()` of its beginning. Absent: now. */
  readonly startedAt?: number;
}

export interface Span {
  /** Store it with the effects of the span. Undefined when there is no trace. */
  readonly traceparent: string | undefined;
  set(attributes: Attributes): void;
  /** Call it once. `error`: the error that ended the span. */
  end(error?: unknown): void;
}

/** Makes real spans. */
export interface SpanSource {
  start(name: string, options: SpanOptions): Span;
  /** Sends what has not been sent yet. Does not throw. */
  stop(): Promise<void>;
}
