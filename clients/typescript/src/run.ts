import { createParser } from 'eventsource-parser';
import { AtelierError, ConnectionError, JobFailedError } from './errors.js';
import { ask, backoffMs, pause, send, type Connection } from './http.js';
import type { Accepted, Artifact, Job, JobEvent } from './types.js';

/** A job that succeeded. */
export interface FinishedJob extends Job {
  /** The ordered pictures: the artifacts whose role is `final`. */
  readonly pictures: readonly Artifact[];
}

export interface FollowOptions {
  /** The `seq` of the last event that is known already. */
  readonly since?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The service sends something every 15 seconds. A connection that is silent for three times as long counts as
 * dead.
 */
const silenceMs = 45_000;

/**
 * The public events of a job, up to its last one. After a broken connection, it reconnects and continues behind
 * the last event received.
 * @throws AtelierError; ConnectionError when several attempts in a row failed; the signal's reason
 */
export async function* follow(
  connection: Connection,
  jobId: string,
  { since = 0, signal }: FollowOptions = {},
): AsyncGenerator<JobEvent> {
  for (let failures = 0, last = since; ;) {
    try {
      for await (const event of stream(connection, jobId, last, signal)) {
        [failures, last] = [0, event.seq];
        yield event;
        if (event.event_type === 'succeeded' || event.event_type === 'failed') return;
      }
      // The service closed the stream without a final event: it is restarting, or the job had ended before
      // `since`.
      if ((await jobOf(connection, jobId, signal)).finished_at !== null && failures > 0) return;
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof AtelierError || failures >= connection.retries) throw error;
    }
    await pause(backoffMs(failures++), signal);
  }
}

async function* stream(
  connection: Connection,
  jobId: string,
  since: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<JobEvent> {
  const silence = new AbortController();
  const stopped = AbortSignal.any([silence.signal, ...(signal ? [signal] : [])]);
  const response = await send(connection, 'GET', `/v1/jobs/${jobId}/events`, {
    headers: { accept: 'text/event-stream', 'last-event-id': String(since) },
    signal: stopped,
    repeatable: true,
  });
  if (!response.body) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(new ConnectionError('The stream fell silent')), silenceMs);
  };
  heard();
  const arrived: JobEvent[] = [];
  // The service's `data` is the same object as in its JSON answers.
  const parser = createParser({ onEvent: ({ data }) => arrived.push(JSON.parse(data) as JobEvent) });
  const decoder = new TextDecoder();
  try {
    // Not `for await`: streams of Safari cannot be iterated.
    for (const reader = response.body.getReader(); ;) {
      const { done, value } = await reader.read();
      if (done) return;
      heard();
      parser.feed(decoder.decode(value, { stream: true }));
      yield* arrived.splice(0);
    }
  } finally {
    clearTimeout(timer);
    // Closes the connection, also when the caller stops in the middle.
    silence.abort();
  }
}

/** @throws the signal's reason, at once; the promise itself goes on */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  let abort: () => void;
  return new Promise<T>((resolve, reject) => {
    abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    promise.then(resolve, reject);
  }).finally(() => signal.removeEventListener('abort', abort));
}

function jobOf(connection: Connection, jobId: string, signal: AbortSignal | undefined): Promise<Job> {
  return ask(connection, 'GET', `/v1/jobs/${jobId}`, { signal, repeatable: true });
}

/**
 * A dispatch and its job. Iterate it for the events of its timeline, call `result()` for the pictures, or do
 * both.
 */
export class Run implements AsyncIterable<JobEvent> {
  /** The answer to the dispatch: the job's id and its cost. */
  readonly accepted: Promise<Accepted>;

  private readonly onAbort = () => void this.cancel().catch(() => undefined);

  constructor(
    private readonly connection: Connection,
    dispatch: () => Promise<Accepted>,
    private readonly signal: AbortSignal | undefined,
  ) {
    signal?.addEventListener('abort', this.onAbort);
    this.accepted = this.order(dispatch);
    // Callers need not await `accepted`. This handler prevents an unhandled rejection when they do not.
    this.accepted.catch(() => this.leaveSignal());
  }

  /**
   * Removes the listener once there is nothing left to cancel, because a signal may outlive many jobs. This
   * does not use the `signal` option of `addEventListener`: Node 20 to 24 lose it in garbage collection if two
   * listeners of one signal have it.
   */
  private leaveSignal(): void {
    this.signal?.removeEventListener('abort', this.onAbort);
  }

  private async order(dispatch: () => Promise<Accepted>): Promise<Accepted> {
    this.signal?.throwIfAborted();
    return dispatch();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<JobEvent> {
    const { job_id: jobId } = await unlessAborted(this.accepted, this.signal);
    yield* follow(this.connection, jobId, { signal: this.signal });
    this.leaveSignal();
  }

  /**
   * The job, once it has succeeded.
   * @throws JobFailedError; AtelierError; ConnectionError; the signal's reason
   */
  async result(): Promise<FinishedJob> {
    for await (const event of this) void event;
    const { job_id: jobId } = await this.accepted;
    const job = await jobOf(this.connection, jobId, this.signal);
    if (job.status !== 'SUCCESS') throw new JobFailedError(job);
    const pictures = (job.result?.artifacts ?? []).filter(({ role }) => role === 'final');
    return { ...job, pictures };
  }

  /**
   * Cancels the job; its credits are given back. A job that has ended does not change: the answer is 409
   * JOB_ALREADY_FINISHED.
   */
  async cancel(): Promise<void> {
    const { job_id: jobId } = await this.accepted;
    await send(this.connection, 'POST', `/v1/jobs/${jobId}/cancel`, { repeatable: true });
  }
}
