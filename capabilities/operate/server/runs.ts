import { LRUCache } from 'lru-cache';
import type { Clock } from '#platform/clock.js';
import { messageOf } from '#platform/errors.js';
import { newId } from '#platform/ids.js';
import type { RunView } from '../command/admin-client.js';
import type { AnyCall, Asked, LogProgress } from '#operator-calls/call.js';
import { toJson } from '#operator-calls/output.js';
import { CallRefused } from '#operator-calls/call-refused.js';

interface Run {
  readonly id: string;
  readonly action: string;
  readonly by: string;
  readonly startedAt: Date;
  readonly stopping: AbortController;
  state: RunView['state'];
  endedAt: Date | undefined;
  progress: LogProgress | undefined;
  error: string | undefined;
  result: unknown;
  ended: Promise<void>;
}

/**
 * Runs that have ended are kept with their results until this many newer ones came. The log keeps for good who
 * called what.
 */
const keptRuns = 100;

/** The long calls of this process: one request starts a call, and others look at it. */
export class Runs {
  private readonly runs = new LRUCache<string, Run>({ max: keptRuns });

  constructor(private readonly clock: Clock) {}

  start(
    call: AnyCall,
    by: string,
    work: (asked: Pick<Asked, 'signal' | 'onProgress'>) => Promise<unknown>,
  ): RunView {
    const stopping = new AbortController();
    const run: Run = {
      id: newId(),
      action: call.name,
      by,
      startedAt: this.clock(),
      stopping,
      state: 'running',
      endedAt: undefined,
      progress: undefined,
      error: undefined,
      result: undefined,
      ended: Promise.resolve(),
    };
    this.runs.set(run.id, run);
    const { signal } = stopping;
    run.ended = work({ signal, onProgress: (progress) => (run.progress = progress) }).then(
      (result) => this.end(run, 'done', { result }),
      (error: unknown) => {
        const state = signal.aborted ? 'cancelled' : error instanceof CallRefused ? 'refused' : 'failed';
        this.end(run, state, { error: messageOf(error) });
      },
    );
    return viewOf(run);
  }

  view(id: string): RunView | undefined {
    const run = this.runs.get(id);
    return run && viewOf(run);
  }

  /** The latest first, without their results. */
  list(): Omit<RunView, 'result'>[] {
    return [...this.runs.values()].map((run) => {
      const { result: _result, ...view } = viewOf(run);
      return view;
    });
  }

  cancel(id: string): RunView | undefined {
    const run = this.runs.get(id);
    run?.stopping.abort(new CallRefused('it was stopped by an operator'));
    return run && viewOf(run);
  }

  async stop(): Promise<void> {
    const running = [...this.runs.values()];
    for (const { stopping } of running) stopping.abort(new CallRefused('the service stops'));
    await Promise.all(running.map(({ ended }) => ended));
  }

  private end(run: Run, state: Run['state'], end: Partial<Run>): void {
    Object.assign(run, end, { state, endedAt: this.clock() });
  }
}

function viewOf(run: Run): RunView {
  const { id, action, by, startedAt, endedAt, state, progress, error, result } = run;
  // The form that goes over the wire.
  return JSON.parse(
    toJson({
      run_id: id,
      action,
      by,
      started_at: startedAt,
      ended_at: endedAt ?? null,
      state,
      progress: progress ?? null,
      error: error ?? null,
      result,
    }),
  ) as RunView;
}
