import { In, MoreThan, type DataSource } from 'typeorm';
import type { JobReads, JobsFilter } from '#application/read-models.js';
import { JobRow } from './jobs.read-model.js';

/** The jobs of one environment. A job of another tenant is as unknown as one that never was. */
export class JobsReader implements JobReads {
  constructor(private readonly dataSource: DataSource) {}

  /** Newest first. */
  list(tenant: string, filter: JobsFilter): Promise<JobRow[]> {
    const { jobTypes, status, createdAfter, limit, offset } = filter;
    return this.jobs.find({
      where: {
        tenant,
        ...(jobTypes && { jobType: In([...jobTypes]) }),
        ...(status && { status }),
        ...(createdAfter && { createdAt: MoreThan(createdAfter) }),
      },
      order: { createdAt: 'DESC', publicId: 'DESC' },
      take: limit,
      skip: offset,
    });
  }

  async find(tenant: string, jobId: string): Promise<JobRow | undefined> {
    return (await this.jobs.findOneBy({ tenant, publicId: jobId })) ?? undefined;
  }

  /** The child jobs of a batch, in the order of its items. */
  children(tenant: string, parentJobId: string): Promise<JobRow[]> {
    return this.jobs.find({ where: { tenant, parentJobId }, order: { childIndex: 'ASC', publicId: 'ASC' } });
  }

  private get jobs() {
    return this.dataSource.getRepository(JobRow);
  }
}
