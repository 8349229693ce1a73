import { MoreThan, type DataSource } from 'typeorm';
import type { TimelineReads } from '#application/read-models.js';
import { TimelineRow } from './timeline.read-model.js';

/** The timelines of one environment's jobs. */
export class TimelineReader implements TimelineReads {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * The public events of a job with `seq` beyond `since`, ascending. Empty for an unknown job and for another
   * tenant's: whether the job exists is for {@link JobsReader.find} to say.
   */
  publicEvents(tenant: string, jobId: string, since = 0): Promise<TimelineRow[]> {
    return this.dataSource.getRepository(TimelineRow).find({
      where: { jobId, tenant, visibility: 'public', seq: MoreThan(since) },
      order: { seq: 'ASC' },
    });
  }
}
