import { type Environment, streamName } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import type { AuditedEvent } from '../audited-event.js';
import type { AuditFindings } from '../findings.js';

interface OpenJob {
  readonly environment: Environment;
  readonly jobId: string;
  readonly parentJobId: string | null;
  /** Time of its last event, in milliseconds. */
  movedAt: number;
}

/**
 * 12. Every unfinished job has a task or a running attempt. A task of a batch also counts for its photographs, and a
 *   task of a photograph for its batch.
 */
export class WaitingJobs {
  private readonly open = new Map<string, OpenJob>();

  /** Takes the next event of the history. */
  apply({ type, data, environment, streamId: jobId, recorded }: AuditedEvent): void {
    const key = `${environment}/${jobId}`;
    switch (type) {
      case 'JobQueued': {
        const movedAt = Date.parse(recorded.metadata.recordedAt);
        this.open.set(key, { environment, jobId, parentJobId: data.parentJobId, movedAt });
        return;
      }
      case 'RenderStarted':
      case 'StageCompleted': {
        const job = this.open.get(key);
        if (job) job.movedAt = Date.parse(recorded.metadata.recordedAt);
        return;
      }
      case 'JobSucceeded':
      case 'JobFailed':
      case 'JobCancelled':
        this.open.delete(key);
        return;
      default:
        return;
    }
  }

  /**
   * @param tasks the jobs of the environment that had a task which was not done, before the history was read
   */
  async check(
    environment: Environment,
    tasks: ReadonlySet<string>,
    before: number,
    store: EventStore,
    findings: AuditFindings,
  ): Promise<void> {
    const jobs = [...this.open.values()].filter((job) => job.environment === environment);
    const served = new Set<string>();
    for (const { jobId, parentJobId } of jobs) {
      if (!tasks.has(jobId)) continue;
      served.add(jobId);
      if (parentJobId !== null) served.add(parentJobId);
    }
    for (const { jobId, parentJobId, movedAt } of jobs) {
      findings.checked('tasks');
      const waits = served.has(jobId) || (parentJobId !== null && tasks.has(parentJobId));
      if (waits || movedAt > before) continue;
      const stream = streamName(environment, 'job', jobId);
      const slice = await store.readStream(stream, { direction: 'backwards', limit: 1, unprovenToo: true });
      const last = slice.kind === 'found' ? slice.events[0]?.type : undefined;
      // It has ended since.
      if (last === 'JobSucceeded' || last === 'JobFailed' || last === 'JobCancelled') continue;
      const message = 'the job waits for a task that it will not get: "atelier jobs requeue" gives it one';
      findings.wrong({
        check: 'tasks',
        message,
        stream,
        expected: 'a task or a running attempt',
        found: 'none',
      });
    }
  }
}
