import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { JobArtifact } from '#domain/job/job.events.js';

/** `started` is internal: it is kept for operators and never shown to a caller. */
export type TimelineEventType = 'queued' | 'started' | 'stage' | 'succeeded' | 'failed';

/** One event of a job's timeline. `seq` = stream revision + 1, and so the caller's polling cursor. */
@Entity('timeline')
export class TimelineRow {
  @PrimaryColumn({ type: 'text' })
  jobId: string;

  @PrimaryColumn({ type: 'integer' })
  seq: number;

  @Column({ type: 'text' })
  tenant: string;

  @Column({ type: 'text' })
  eventType: TimelineEventType;

  @Column({ type: 'text' })
  visibility: 'public' | 'internal';

  /** The stage's name on `stage` events, otherwise equal to the event type. */
  @Column({ type: 'text' })
  stage: string;

  @Column({ type: 'text' })
  message: string;

  /** As stored: storage keys, no URLs. Those are presigned when the timeline is read. */
  @Column({ type: 'jsonb' })
  artifacts: JobArtifact[];

  @Column({ type: 'jsonb' })
  extra: Record<string, unknown>;

  @Column({ type: 'timestamptz' })
  createdAt: Date;
}
